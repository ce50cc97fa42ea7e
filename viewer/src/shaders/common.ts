// Parts that all shaders share. Everything is computed in world space, relative to the run origin [m].

/** What a draw is for: the picture, the sun's depths, or a mask of what kind of thing is where. */
export const PASS = { picture: 0, shadow: 1, mask: 2 } as const;

/** How points get their color. */
export const COLOR_MODE = { object: 0, number: 1, kind: 2 } as const;

export const PRECISION = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp sampler2DShadow;
`;

/** For vertex shaders: the frame's values by point, and the looks of objects. */
export const FRAME_ACCESS = /* glsl */ `
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 cameraPosition;
uniform sampler2D uPoints;
uniform usampler2D uObject;
uniform sampler2D uValues;
uniform sampler2D uLooks;
uniform sampler2D uMap;
uniform int uColorMode;
uniform vec2 uRange;
uniform vec2 uResolution;
// Rows of the textures that hold a frame have two to this power of points.
uniform int uRowBits;

ivec2 placeOf(uint index) {
  return ivec2(int(index & ((1u << uRowBits) - 1u)), int(index >> uRowBits));
}

vec3 rowAt(sampler2D rows, uint index) {
  ivec2 place = placeOf(index) * ivec2(3, 1);
  return vec3(texelFetch(rows, place, 0).r, texelFetch(rows, place + ivec2(1, 0), 0).r, texelFetch(rows, place + ivec2(2, 0), 0).r);
}

vec3 pointAt(uint index) { return rowAt(uPoints, index); }
uint objectAt(uint index) { return texelFetch(uObject, placeOf(index), 0).r; }

// Three texels for each object: color and visibility; radii of points and curves, grain shape and hair; grain size
// and gloss.
vec4 lookAt(uint object, int part) {
  return texelFetch(uLooks, ivec2(part, int(object)), 0);
}

float random(uint seed) {
  seed = (seed ^ 61u) ^ (seed >> 16u);
  seed *= 9u;
  seed ^= seed >> 4u;
  seed *= 0x27d4eb2du;
  seed ^= seed >> 15u;
  return float(seed) / 4294967295.0;
}

vec3 fromDisplay(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

// Color of a point that looks like 'own' by itself.
vec3 colorOf(uint point, vec3 own) {
  if (uColorMode == ${COLOR_MODE.object}) return own;
  float value = texelFetch(uValues, placeOf(point), 0).r;
  if (uColorMode == ${COLOR_MODE.kind}) {
    if (value > 1e38) return own;
    return fromDisplay(texelFetch(uMap, ivec2(int(uint(value) % 256u), 0), 0).rgb);
  }
  if (value > 1e38) return vec3(0.32);
  float t = clamp((value - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
  return fromDisplay(texelFetch(uMap, ivec2(int(t * 255.0 + 0.5), 0), 0).rgb);
}

bool isLost(vec3 p) { return abs(p.x) > 1e30 || abs(p.y) > 1e30 || abs(p.z) > 1e30; }

const vec4 OUT_OF_SIGHT = vec4(2.0, 2.0, 2.0, 1.0);

// Toward the eye of a perspective camera, or of the sun's parallel one.
vec3 towardsEye(vec3 p) {
  bool isParallel = projectionMatrix[2][3] == 0.0;
  vec3 back = vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]);
  return isParallel ? back : normalize(cameraPosition - p);
}

// Length of a pixel at a clip-space position [m].
float pixelAt(vec4 clip) {
  return 2.0 * clip.w / (projectionMatrix[1][1] * uResolution.y);
}
`;

/** How much of the sun is seen. */
export const SHADOW = /* glsl */ `
uniform vec3 uSun;
uniform mat4 uShadowMatrix;
uniform sampler2DShadow uShadow;
uniform float uShadowTexel;
uniform float uHasShadow;

// Share of the sun that is seen from p [-]: 16 looks around the place, each smoothed by the hardware.
float sunlight(vec3 p) {
  if (uHasShadow < 0.5) return 1.0;
  vec3 s = (uShadowMatrix * vec4(p, 1.0)).xyz;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      vec2 offset = (vec2(i, j) - 1.5) * 1.7 * uShadowTexel;
      sum += textureLod(uShadow, vec3(s.xy + offset, s.z), 0.0);
    }
  }
  vec2 edge = smoothstep(vec2(0.0), vec2(0.1), min(s.xy, 1.0 - s.xy));
  return mix(1.0, sum / 16.0, edge.x * edge.y);
}
`;

/** For fragment shaders: sun, sky and the way to the screen. */
export const LIGHT = /* glsl */ `
${SHADOW}
uniform vec3 cameraPosition;
uniform int uPass;
uniform vec4 uKind;
uniform vec3 uSunColor;
uniform vec3 uSkyColor;
uniform vec3 uBounceColor;
uniform vec3 uBackTop;
uniform vec3 uBackHorizon;

layout(location = 0) out vec4 outColor;

vec3 sky(vec3 n) { return mix(uBounceColor, uSkyColor, 0.5 + 0.5 * n.y); }

vec3 backdrop(vec3 direction) {
  return mix(uBackHorizon, uBackTop, smoothstep(0.0, 0.7, abs(direction.y)));
}

// Light that leaves a smooth opaque surface. 'gloss' 0 is chalk, 1 is wet.
vec3 shade(vec3 albedo, vec3 n, vec3 toEye, float sun, float gloss) {
  float wrap = 0.15;
  float facing = max((dot(n, uSun) + wrap) / (1.0 + wrap), 0.0);
  vec3 diffuse = albedo * (sky(n) + uSunColor * facing * sun);
  vec3 middle = normalize(uSun + toEye);
  float sharpness = mix(12.0, 180.0, gloss);
  float highlight = mix(0.03, 0.55, gloss) * pow(max(dot(n, middle), 0.0), sharpness) * sun;
  float grazing = pow(1.0 - max(dot(n, toEye), 0.0), 5.0);
  return diffuse + uSunColor * highlight + sky(reflect(-toEye, n)) * grazing * mix(0.04, 0.5, gloss);
}

// Writes what the present pass wants.
void emit(vec3 light, float coverage) {
  if (uPass == ${PASS.mask}) {
    outColor = uKind;
    return;
  }
  // Bright light bends toward white instead of being cut off; the rest stays as it is.
  vec3 soft = light / pow(1.0 + pow(max(light, 0.0), vec3(5.0)), vec3(0.2));
  vec3 low = 12.92 * soft;
  vec3 high = 1.055 * pow(max(soft, 1e-6), vec3(1.0 / 2.4)) - 0.055;
  // Half a step of noise hides the steps of smooth gradients.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  outColor = vec4(mix(low, high, step(0.0031308, soft)) + noise / 255.0, coverage);
}
`;
