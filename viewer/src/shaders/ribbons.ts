// Ribbons: curve segments and round grains. Each is a quad that faces the camera and is shaded like a cylinder with
// optional round caps. Thin ribbons are widened to about a pixel, so that they do not disappear.

import { FRAME_ACCESS, LIGHT, PASS, PRECISION } from "./common";

/** Minimum half width of a ribbon on the screen [pixels]. */
const MIN_HALF_WIDTH = 0.5;

const RIBBON = /* glsl */ `
out vec3 vWorld;
out vec3 vTangent;
out vec3 vSide;
out vec3 vColor;
// x: coordinate across the ribbon, -1 to 1. y, z: distance from the start and from the end in half widths, negative in
// the round caps.
out vec3 vAt;
flat out vec3 vFinish;

// Positions corner gl_VertexID of a ribbon from a to b with the tangents ta and tb.
void ribbon(vec3 a, vec3 b, vec3 ta, vec3 tb, bvec2 isRound, float radius, float gloss, float isHair) {
  bool atEnd = gl_VertexID >= 2;
  float across = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec3 here = atEnd ? b : a;
  vec3 tangent = atEnd ? tb : ta;
  vec3 toEye = towardEye(here);
  vec3 side = cross(tangent, toEye);
  float sine = length(side);
  side = sine > 1e-5 ? side / sine : vec3(viewMatrix[0][0], viewMatrix[1][0], viewMatrix[2][0]);
  vec4 clip = projectionMatrix * viewMatrix * vec4(here, 1.0);
  float thinnest = ${MIN_HALF_WIDTH} * pixelAt(clip);
  float half_width = max(radius, thinnest);
  // Direction along the ribbon, perpendicular to the view direction.
  vec3 along = cross(toEye, side);
  float visible_length = dot(b - a, along) / half_width;
  vec3 corner = here + across * half_width * side;
  bool ends = atEnd ? isRound.y : isRound.x;
  float cap = ends ? 1.0 : 0.0;
  corner += (atEnd ? cap : -cap) * half_width * along;
  vAt = vec3(across, atEnd ? visible_length + cap : -cap, atEnd ? -cap : visible_length + cap);
  // No cap where the curve continues.
  if (!isRound.x) vAt.y = 1.0;
  if (!isRound.y) vAt.z = 1.0;
  vWorld = corner;
  vTangent = tangent;
  vSide = side;
  vFinish = vec3(half_width, gloss, isHair);
  gl_Position = projectionMatrix * viewMatrix * vec4(corner, 1.0);
}
`;

export const curvesVertex = /* glsl */ `
${PRECISION}
${FRAME_ACCESS}
${RIBBON}
uniform float uCurveScale;
in uvec4 chain;

vec3 direction(vec3 from, vec3 to) {
  vec3 d = to - from;
  float length_ = length(d);
  return length_ > 0.0 ? d / length_ : vec3(0.0, 1.0, 0.0);
}

void main() {
  vec3 a = pointAt(chain.y);
  vec3 b = pointAt(chain.z);
  uint object = objectAt(chain.y);
  vec4 look = appearanceOf(object, 0);
  gl_Position = OFF_SCREEN;
  if (look.a < 0.5 || isHidden(a) || isHidden(b)) return;
  vec3 before = pointAt(chain.x);
  vec3 after = pointAt(chain.w);
  if (isHidden(before)) before = a;
  if (isHidden(after)) after = b;
  vec4 sizes = appearanceOf(object, 1);
  bvec2 isRound = bvec2(chain.x == chain.y, chain.z == chain.w);
  ribbon(a, b, direction(before, b), direction(a, after), isRound, sizes.y * uCurveScale, appearanceOf(object, 2).a, sizes.w);
  vColor = colorOf(gl_VertexID >= 2 ? chain.z : chain.y, look.rgb);
}
`;

export const roundGrainsVertex = /* glsl */ `
${PRECISION}
${FRAME_ACCESS}
${RIBBON}
in vec3 translation;
in vec4 rotation;
in uint grainObject;
in uint nearestPoint;

void main() {
  vec4 look = appearanceOf(grainObject, 0);
  gl_Position = OFF_SCREEN;
  if (look.a < 0.5 || appearanceOf(grainObject, 1).z != 2.0 || isHidden(translation)) return;
  vec4 grain = appearanceOf(grainObject, 2);
  float radius = 0.25 * (grain.x + grain.y);
  vec4 q = normalize(rotation);
  vec3 axis = vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
  vec3 reach = max(0.5 * grain.z - radius, 0.0) * axis;
  ribbon(translation - reach, translation + reach, axis, axis, bvec2(true), radius, grain.a, 0.0);
  uint seed = uint(gl_InstanceID);
  vec3 own = look.rgb * (1.0 + 0.4 * (random(seed) - 0.5));
  vColor = colorOf(nearestPoint, min(own, 1.0));
}
`;

export const ribbonsFragment = /* glsl */ `
${PRECISION}
${LIGHT}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec3 vWorld;
in vec3 vTangent;
in vec3 vSide;
in vec3 vColor;
in vec3 vAt;
flat in vec3 vFinish;

// A fiber scatters light into cones around its axis. It is brightest when lit from the side, and has a white and a
// colored highlight; the colored one is shifted toward the root.
vec3 shadeHair(vec3 albedo, vec3 t, vec3 n, vec3 toEye, float sun) {
  float tl = dot(t, uSun);
  float diffuse = sqrt(max(1.0 - tl * tl, 0.0));
  float facing = 0.55 + 0.45 * dot(n, uSun);
  vec3 t1 = normalize(t + 0.06 * n);
  vec3 t2 = normalize(t - 0.1 * n);
  vec3 middle = normalize(uSun + toEye);
  float d1 = dot(t1, middle);
  float d2 = dot(t2, middle);
  float white = pow(sqrt(max(1.0 - d1 * d1, 0.0)), 140.0);
  float tinted = pow(sqrt(max(1.0 - d2 * d2, 0.0)), 28.0);
  vec3 light = albedo * sky(n) * 0.7;
  light += sun * uSunColor * diffuse * facing * (0.8 * albedo + 0.05 * white + tinted * albedo);
  // Transmission: backlight shines through single hairs.
  return light + albedo * uSunColor * sun * 0.3 * pow(max(dot(-toEye, uSun), 0.0), 4.0);
}

void main() {
  float round_ = min(min(vAt.y, vAt.z), 0.0);
  float square = vAt.x * vAt.x + round_ * round_;
  if (square > 1.0) discard;
  vec3 t = normalize(vTangent);
  vec3 side = normalize(vSide);
  vec3 toEye = normalize(cameraPosition - vWorld);
  vec3 out_ = normalize(cross(side, t));
  if (dot(out_, toEye) < 0.0) out_ = -out_;
  float height = sqrt(1.0 - square);
  float end = vAt.y < vAt.z ? -1.0 : 1.0;
  vec3 n = normalize(vAt.x * side + height * out_ - round_ * end * t);
#ifdef TRUE_DEPTH
  vec3 back = vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]);
  vec4 clip = projectionMatrix * viewMatrix * vec4(vWorld + height * vFinish.x * back, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
#endif
  if (uPass == ${PASS.shadow}) return;
  vec3 front = vWorld + height * vFinish.x * out_;
  float sun = sunlight(front + (n + uSun) * vFinish.x);
  vec3 light = vFinish.z > 0.5 ? shadeHair(vColor, t, n, toEye, sun) : shade(vColor, n, toEye, sun, vFinish.y);
  emit(light, 1.0);
}
`;
