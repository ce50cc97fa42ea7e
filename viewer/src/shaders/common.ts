// Code shared by all shaders. All positions are in world space, relative to the run's origin [m].

/** Render passes: the image, the shadow map, or a mask that shows the kind of primitive at each pixel. */
export const PASS = { image: 0, shadow: 1, mask: 2 } as const;

/** Source of a point's color: its object, a number, or a category. */
export const COLOR_MODE = { object: 0, number: 1, category: 2 } as const;

export const PRECISION = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp sampler2DShadow;
`;

/** For vertex shaders: access to the values of points and the appearance of objects. */
export const FRAME_ACCESS = /* glsl */ `
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 cameraPosition;
uniform sampler2D uPoints;
uniform usampler2D uObject;
uniform sampler2D uValues;
uniform sampler2D uAppearance;
uniform sampler2D uMap;
uniform int uColorMode;
uniform vec2 uRange;
uniform vec2 uResolution;
// Base-2 logarithm of the number of points per texture row.
uniform int uRowBits;

ivec2 texelOf(uint index) {
  return ivec2(int(index & ((1u << uRowBits) - 1u)), int(index >> uRowBits));
}

vec3 rowAt(sampler2D rows, uint index) {
  ivec2 texel = texelOf(index) * ivec2(3, 1);
  return vec3(texelFetch(rows, texel, 0).r, texelFetch(rows, texel + ivec2(1, 0), 0).r, texelFetch(rows, texel + ivec2(2, 0), 0).r);
}

vec3 pointAt(uint index) { return rowAt(uPoints, index); }
uint objectAt(uint index) { return texelFetch(uObject, texelOf(index), 0).r; }

// Three texels per object. Part 0: color and visibility. Part 1: point radius, curve radius, grain shape (0 none, 1 box,
// 2 round), and whether the object is hair. Part 2: grain size and gloss.
vec4 appearanceOf(uint object, int part) {
  return texelFetch(uAppearance, ivec2(part, int(object)), 0);
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

// Color of a point; 'objectColor' applies if the point has no value.
vec3 colorOf(uint point, vec3 objectColor) {
  if (uColorMode == ${COLOR_MODE.object}) return objectColor;
  float value = texelFetch(uValues, texelOf(point), 0).r;
  if (uColorMode == ${COLOR_MODE.category}) {
    if (value > 1e38) return objectColor;
    return fromDisplay(texelFetch(uMap, ivec2(int(uint(value) % 256u), 0), 0).rgb);
  }
  if (value > 1e38) return vec3(0.32);
  float t = clamp((value - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
  return fromDisplay(texelFetch(uMap, ivec2(int(t * 255.0 + 0.5), 0), 0).rgb);
}

bool isHidden(vec3 p) { return abs(p.x) > 1e30 || abs(p.y) > 1e30 || abs(p.z) > 1e30; }

const vec4 OFF_SCREEN = vec4(2.0, 2.0, 2.0, 1.0);

// Direction toward a perspective camera, or toward the sun's orthographic camera.
vec3 towardEye(vec3 p) {
  bool isOrthographic = projectionMatrix[2][3] == 0.0;
  vec3 back = vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]);
  return isOrthographic ? back : normalize(cameraPosition - p);
}

// Size of a pixel at a clip-space position [m].
float pixelAt(vec4 clip) {
  return 2.0 * clip.w / (projectionMatrix[1][1] * uResolution.y);
}
`;

/** Shadow map lookup. */
export const SHADOW = /* glsl */ `
uniform vec3 uSun;
uniform mat4 uShadowMatrix;
uniform sampler2DShadow uShadow;
uniform float uShadowTexel;
uniform float uHasShadow;

// Fraction of the sunlight that reaches p [-]: 16 shadow map samples around p, each filtered by the hardware.
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

/** For fragment shaders: lighting, background and output. */
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

// Light reflected by an opaque surface. 'gloss' is 0 for matte and 1 for wet surfaces.
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

// Writes the output of the current render pass.
void emit(vec3 light, float coverage) {
  if (uPass == ${PASS.mask}) {
    outColor = uKind;
    return;
  }
  // Tone mapping: compress bright light smoothly instead of clipping it.
  vec3 soft = light / pow(1.0 + pow(max(light, 0.0), vec3(5.0)), vec3(0.2));
  vec3 low = 12.92 * soft;
  vec3 high = 1.055 * pow(max(soft, 1e-6), vec3(1.0 / 2.4)) - 0.055;
  // Dithering with half a quantization step hides banding in smooth gradients.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  outColor = vec4(mix(low, high, step(0.0031308, soft)) + noise / 255.0, coverage);
}
`;
