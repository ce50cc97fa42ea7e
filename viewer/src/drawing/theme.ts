// Light and dark themes: colors of sun, sky, floor and background; all linear RGB.

export type ThemeName = "light" | "dark";

export interface Theme {
  readonly sun: readonly [number, number, number];
  readonly sky: readonly [number, number, number];
  readonly bounce: readonly [number, number, number];
  readonly floor: readonly [number, number, number];
  readonly backTop: readonly [number, number, number];
  readonly backHorizon: readonly [number, number, number];
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    sun: [0.84, 0.79, 0.71],
    sky: [0.41, 0.45, 0.52],
    bounce: [0.25, 0.23, 0.21],
    floor: [0.58, 0.57, 0.55],
    backTop: [0.56, 0.63, 0.72],
    backHorizon: [0.72, 0.74, 0.75],
  },
  dark: {
    sun: [0.86, 0.82, 0.76],
    sky: [0.4, 0.45, 0.54],
    bounce: [0.19, 0.18, 0.18],
    floor: [0.032, 0.033, 0.036],
    backTop: [0.011, 0.012, 0.015],
    backHorizon: [0.026, 0.028, 0.033],
  },
};
