// Surfaces: cloth, surfaces of volumes, box grains, bodies, the floor and the background.

import { FRAME_ACCESS, LIGHT, PASS, PRECISION } from "./common";

export const surfacesVertex = /* glsl */ `
${PRECISION}
${FRAME_ACCESS}
uniform sampler2D uNormals;
out vec3 vWorld;
out vec3 vNormal;
out vec3 vColor;
flat out float vGloss;
out float vHidden;

void main() {
  uint point = uint(gl_VertexID);
  vec3 p = pointAt(point);
  uint object = objectAt(point);
  vec4 look = appearanceOf(object, 0);
  gl_Position = OFF_SCREEN;
  // A triangle with a hidden vertex would be distorted, so the fragment shader discards it.
  vHidden = isHidden(p) ? 1.0 : 0.0;
  if (look.a < 0.5 || isHidden(p)) return;
  vWorld = p;
  vNormal = rowAt(uNormals, point);
  vColor = colorOf(point, look.rgb);
  vGloss = appearanceOf(object, 2).a;
  gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
}
`;

export const boxGrainsVertex = /* glsl */ `
${PRECISION}
${FRAME_ACCESS}
in vec3 position;
in vec3 normal;
in vec3 translation;
in vec4 rotation;
in uint grainObject;
in uint nearestPoint;
out vec3 vWorld;
out vec3 vNormal;
out vec3 vColor;
flat out float vGloss;
out float vHidden;

vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

void main() {
  vHidden = 0.0;
  vec4 look = appearanceOf(grainObject, 0);
  gl_Position = OFF_SCREEN;
  if (look.a < 0.5 || appearanceOf(grainObject, 1).z != 1.0 || isHidden(translation)) return;
  vec4 grain = appearanceOf(grainObject, 2);
  vec4 q = normalize(rotation);
  vWorld = translation + rotate(q, position * grain.xyz);
  vNormal = rotate(q, normal);
  vec3 own = look.rgb * (1.0 + 0.4 * (random(uint(gl_InstanceID)) - 0.5));
  vColor = colorOf(nearestPoint, min(own, 1.0));
  vGloss = grain.a;
  gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
}
`;

export const bodyVertex = /* glsl */ `
${PRECISION}
uniform mat4 modelMatrix;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 uColor;
uniform bool uIsPatterned;
in vec3 position;
in vec3 normal;
out vec3 vWorld;
out vec3 vNormal;
out vec3 vColor;
out vec3 vLocal;
flat out float vGloss;
out float vHidden;

void main() {
  vHidden = 0.0;
  vec4 world = modelMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  vLocal = position;
  vNormal = mat3(modelMatrix) * normal;
  vColor = uColor;
  vGloss = 0.08;
  gl_Position = projectionMatrix * viewMatrix * world;
}
`;

/** `PATTERN`: a checkered pattern on balls, which makes their rotation visible. */
export const surfacesFragment = /* glsl */ `
${PRECISION}
${LIGHT}
uniform float uShadowBias;
in vec3 vWorld;
in vec3 vNormal;
in vec3 vColor;
flat in float vGloss;
in float vHidden;
#ifdef PATTERN
uniform bool uIsPatterned;
in vec3 vLocal;
#endif

void main() {
  if (vHidden > 0.0) discard;
  if (uPass == ${PASS.shadow}) return;
  vec3 toEye = normalize(cameraPosition - vWorld);
  vec3 n = dot(vNormal, vNormal) > 0.0 ? normalize(vNormal) : toEye;
  if (!gl_FrontFacing) n = -n;
  vec3 color = gl_FrontFacing ? vColor : vColor * 0.82;
#ifdef PATTERN
  if (uIsPatterned) {
    float fields = sin(4.0 * atan(vLocal.x, vLocal.z)) * vLocal.y;
    float soft = fwidth(fields) + 1e-9;
    color *= mix(0.6, 1.0, smoothstep(-soft, soft, fields));
  }
#endif
  float sun = sunlight(vWorld + (n + uSun) * uShadowBias);
  emit(shade(color, n, toEye, sun, vGloss), 1.0);
}
`;

export const floorVertex = /* glsl */ `
${PRECISION}
uniform mat4 modelMatrix;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
out vec3 vWorld;
out vec2 vPlane;

void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  vPlane = vec2(length(mat3(modelMatrix)[0]) * position.x, length(mat3(modelMatrix)[2]) * position.z);
  gl_Position = projectionMatrix * viewMatrix * world;
}
`;

export const floorFragment = /* glsl */ `
${PRECISION}
${LIGHT}
uniform vec3 uColor;
uniform vec3 uNormal;
uniform float uShadowBias;
uniform float uGrid;
uniform float uReach;
uniform vec2 uGridShift;
in vec3 vWorld;
in vec2 vPlane;

float lines(float spacing, float weight) {
  vec2 at = (vPlane + uGridShift) / spacing;
  vec2 width = max(fwidth(at), 1e-6);
  vec2 near = abs(fract(at - 0.5) - 0.5) / width;
  vec2 ink = (1.0 - smoothstep(0.5, 1.5, near)) * (1.0 - smoothstep(0.1, 0.4, width));
  return weight * max(ink.x, ink.y);
}

void main() {
  if (uPass != ${PASS.image}) discard;
  vec3 toEye = normalize(cameraPosition - vWorld);
  float sun = sunlight(vWorld + uNormal * uShadowBias);
  float ink = max(lines(uGrid, 0.08), lines(0.2 * uGrid, 0.035));
  vec3 light = uColor * (1.0 - ink) * (sky(uNormal) + uSunColor * max(dot(uNormal, uSun), 0.0) * sun);
  float far = smoothstep(0.12, 0.85, length(vPlane) / uReach);
  // Fade the floor sooner at grazing angles, so that there is no hard horizon.
  float flat_ = smoothstep(0.0, 0.14, dot(toEye, uNormal));
  emit(mix(backdrop(-toEye), light, (1.0 - far) * flat_), 1.0);
}
`;

export const backdropVertex = /* glsl */ `
${PRECISION}
uniform mat4 uToWorld;
out vec3 vDirection;

void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  vec4 far = uToWorld * vec4(corner, 1.0, 1.0);
  vDirection = far.xyz / far.w;
  gl_Position = vec4(corner, 1.0, 1.0);
}
`;

export const backdropFragment = /* glsl */ `
${PRECISION}
${LIGHT}
in vec3 vDirection;

void main() {
  if (uPass != ${PASS.image}) discard;
  emit(backdrop(normalize(vDirection)), 1.0);
}
`;
