// Points: each drawn as a square that looks like a ball, or as a dot of some pixels.

import { FRAME_ACCESS, LIGHT, PASS, PRECISION, SHADOW } from "./common";

export const pointsVertex = /* glsl */ `
${PRECISION}
${FRAME_ACCESS}
${SHADOW}
uniform int uPass;
uniform float uPointScale;
uniform float uDotPixels;
uniform bool uIsBall;
out vec3 vCenter;
out vec3 vColor;
flat out float vRadius;
flat out float vGloss;
flat out float vSun;

void main() {
  uint point = uint(gl_VertexID);
  vec3 center = pointAt(point);
  uint object = objectAt(point);
  vec4 look = lookAt(object, 0);
  vec4 sizes = lookAt(object, 1);
  float radius = sizes.x * uPointScale;
  gl_PointSize = 0.0;
  gl_Position = OUT_OF_SIGHT;
  // An object with grains shows those in place of its points.
  if (look.a < 0.5 || sizes.z > 0.5 || radius <= 0.0 || isLost(center)) return;
  vec4 view = viewMatrix * vec4(center, 1.0);
  gl_Position = projectionMatrix * view;
  float pixel = pixelAt(gl_Position);
  gl_PointSize = uIsBall ? max(2.0 * radius / pixel, 1.5) : uDotPixels;
  vCenter = view.xyz;
  vRadius = uIsBall ? radius : 0.5 * uDotPixels * pixel;
  float shade = 1.0 + 0.24 * (random(point) - 0.5);
  vColor = colorOf(point, min(look.rgb * shade, 1.0));
  vGloss = lookAt(object, 2).a;
  // Once for a point, not for each of its pixels: there are many of those, one behind the other.
  vSun = uPass == ${PASS.picture} ? sunlight(center + 1.5 * vRadius * uSun) : 1.0;
}
`;

export const pointsFragment = /* glsl */ `
${PRECISION}
${LIGHT}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform bool uIsBall;
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
  if (!uIsBall) n = normalize(mix(n, vec3(0.0, 1.0, 0.0), 0.5));
  vec3 toEye = normalize(cameraPosition - world);
  float edge = 1.0 - smoothstep(1.0 - blur, 1.0, square);
  // Between balls of a heap it is dark; without this their rims would add up to a net over the whole.
  float open = uIsBall ? mix(0.45, 1.0, normal.z) : 1.0;
  emit(open * shade(vColor, n, toEye, vSun, vGloss * normal.z), mix(0.7, 1.0, edge));
}
`;
