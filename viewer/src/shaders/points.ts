// Points: each is a point sprite, shaded as a sphere or drawn as a dot of fixed size.

import { FRAME_ACCESS, LIGHT, PASS, PRECISION, SHADOW } from "./common";

export const pointsVertex = /* glsl */ `
${PRECISION}
${FRAME_ACCESS}
${SHADOW}
uniform int uPass;
uniform float uPointScale;
uniform float uDotPixels;
uniform bool uIsSphere;
out vec3 vCenter;
out vec3 vColor;
flat out float vRadius;
flat out float vGloss;
flat out float vSun;

void main() {
  uint point = uint(gl_VertexID);
  vec3 center = pointAt(point);
  uint object = objectAt(point);
  vec4 look = appearanceOf(object, 0);
  vec4 sizes = appearanceOf(object, 1);
  float radius = sizes.x * uPointScale;
  gl_PointSize = 0.0;
  gl_Position = OFF_SCREEN;
  // Grains replace the points of their object.
  if (look.a < 0.5 || sizes.z > 0.5 || radius <= 0.0 || isHidden(center)) return;
  vec4 view = viewMatrix * vec4(center, 1.0);
  gl_Position = projectionMatrix * view;
  float pixel = pixelAt(gl_Position);
  gl_PointSize = uIsSphere ? max(2.0 * radius / pixel, 1.5) : uDotPixels;
  vCenter = view.xyz;
  vRadius = uIsSphere ? radius : 0.5 * uDotPixels * pixel;
  float shade = 1.0 + 0.24 * (random(point) - 0.5);
  vColor = colorOf(point, min(look.rgb * shade, 1.0));
  vGloss = appearanceOf(object, 2).a;
  // The shadow is computed once per point, because fragments overlap many times.
  vSun = uPass == ${PASS.image} ? sunlight(center + 1.5 * vRadius * uSun) : 1.0;
}
`;

export const pointsFragment = /* glsl */ `
${PRECISION}
${LIGHT}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform bool uIsSphere;
in vec3 vCenter;
in vec3 vColor;
flat in float vRadius;
flat in float vGloss;
flat in float vSun;

void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  at.y = -at.y;
  float square = dot(at, at);
  float blur = fwidth(square);
  if (square > 1.0) discard;
  vec3 normal = vec3(at, sqrt(1.0 - square));
  vec3 front = vCenter + vRadius * normal;
#ifdef TRUE_DEPTH
  vec4 clip = projectionMatrix * vec4(front, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
#endif
  if (uPass == ${PASS.shadow}) return;
  mat3 toWorld = transpose(mat3(viewMatrix));
  vec3 world = toWorld * (front - viewMatrix[3].xyz);
  vec3 n = toWorld * normal;
  if (!uIsSphere) n = normalize(mix(n, vec3(0.0, 1.0, 0.0), 0.5));
  vec3 toEye = normalize(cameraPosition - world);
  float edge = 1.0 - smoothstep(1.0 - blur, 1.0, square);
  // Darken the rims, as ambient occlusion does between the spheres of a heap. Bright rims would form a visible net.
  float open = uIsSphere ? mix(0.45, 1.0, normal.z) : 1.0;
  emit(open * shade(vColor, n, toEye, vSun, vGloss * normal.z), mix(0.7, 1.0, edge));
}
`;
