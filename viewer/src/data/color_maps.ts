// Color maps for numbers and for categories. They are perceptually uniform: colors are computed in Oklab.

export type Rgb = [number, number, number];

/** Number of colors in a map. */
export const MAP_SIZE = 256;

/** Linear RGB of an Oklch color: lightness [0..1], chroma, hue [degrees]. Chroma is reduced until the color is in the sRGB gamut. */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180;
  const at = (c: number) => oklabToLinear(lightness, c * Math.cos(angle), c * Math.sin(angle));
  const fits = (c: number) => at(c).every((value) => value >= -1e-4 && value <= 1 + 1e-4);
  let largest = chroma;
  if (!fits(chroma)) {
    // Bisection; gray is always in the gamut.
    let fitting = 0;
    for (let halvings = 0; halvings < 20; halvings++) {
      const middle = 0.5 * (fitting + largest);
      if (fits(middle)) fitting = middle;
      else largest = middle;
    }
    largest = fitting;
  }
  return at(largest).map((value) => Math.min(1, Math.max(0, value))) as Rgb;
}

/** Sequential map from dark violet over teal to pale yellow; lightness is linear in `t`. `t` in 0..1; linear RGB. */
export function sequential(t: number): Rgb {
  const lightness = 0.29 + 0.64 * t;
  const hue = 300 - 200 * t;
  return oklch(lightness, 0.125, hue);
}

/** Diverging map from blue over pale gray (t = 0.5) to red. `t` in 0..1; linear RGB. */
export function diverging(t: number): Rgb {
  const side = 2 * Math.abs(t - 0.5);
  return oklch(0.93 - 0.48 * side, 0.19 * Math.pow(side, 0.8), t < 0.5 ? 255 : 28);
}

/** The color of a category, clearly different from the colors of neighboring indices; linear RGB. */
export function categorical(index: number): Rgb {
  // Steps of the golden angle never repeat a hue; lightness cycles through three values.
  const hue = (200 + 137.508 * index) % 360;
  return oklch([0.66, 0.78, 0.55][index % 3], 0.13, hue);
}

/** A color map as RGBA bytes with display (sRGB) values, for a texture of `MAP_SIZE` colors. */
export function mapBytes(map: (t: number) => Rgb): Uint8Array {
  const bytes = new Uint8Array(4 * MAP_SIZE);
  for (let k = 0; k < MAP_SIZE; k++) {
    // Eight bits of linear light would show banding in dark colors, so the texture holds display values.
    const rgb = map(k / (MAP_SIZE - 1)).map((value) => Math.round(255 * toDisplay(value)));
    bytes.set([...rgb, 255], 4 * k);
  }
  return bytes;
}

/** The CSS notation of a linear RGB color. */
export function css(rgb: readonly number[]): string {
  const parts = rgb.map((value) => Math.round(255 * toDisplay(Math.min(1, Math.max(0, value)))));
  return `rgb(${parts.join(" ")})`;
}

/** Display (sRGB) value of linear light, both in 0..1. */
export function toDisplay(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * Math.pow(linear, 1 / 2.4) - 0.055;
}

/** Converts Oklab to linear sRGB with the published matrices of the color space. */
function oklabToLinear(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}
