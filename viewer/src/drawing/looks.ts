// How the objects look, as numbers for shaders.

import { categorical } from "../data/color_maps";
import { NOWHERE, type Frame } from "../data/frame";
import type { ObjectAppearance } from "../data/server";

/** How wet a material looks, 0 to 1 [-]; the others are chalk. */
const GLOSS: Record<string, number> = {
  fluid: 0.85,
  goo: 0.75,
  "fixed-corotated": 0.4,
  "corotated-linear": 0.4,
  "neo-hookean": 0.4,
  elastic: 0.35,
  rod: 0.3,
  rigid: 0.4,
};

/** Radius of curves over the median length of their segments, where the material gives none [-]. */
const SLENDERNESS = 0.1;

/** Twelve numbers for each object, as shaders read them. */
export function looks(
  objects: readonly ObjectAppearance[],
  isVisible: readonly boolean[],
  colors: readonly (readonly number[])[],
  curveRadii: readonly number[],
): Float32Array {
  const texels = new Float32Array(12 * Math.max(1, objects.length));
  objects.forEach((object, index) => {
    const grain = object.grain ? (object.grain.is_round ? 2 : 1) : 0;
    const isHair = object.material === "hair" ? 1 : 0;
    texels.set([...colors[index], isVisible[index] ? 1 : 0], 12 * index);
    // Balls that turn are drawn by themselves.
    const pointRadius = object.turns ? 0 : object.point_radius;
    texels.set([pointRadius, object.curve_radius ?? curveRadii[index] ?? 0, grain, isHair], 12 * index + 4);
    texels.set([...(object.grain?.size ?? [0, 0, 0]), GLOSS[object.material] ?? 0.05], 12 * index + 8);
  });
  return texels;
}

/** One color for each material, linear RGB, by object. */
export function materialColors(objects: readonly ObjectAppearance[]): number[][] {
  const materials = materialsOf(objects);
  return objects.map((object) => categorical(materials.indexOf(object.material)));
}

/** The materials of a scene in their order. */
export function materialsOf(objects: readonly ObjectAppearance[]): string[] {
  return [...new Set(objects.map((object) => object.material))];
}

/** For each object a radius for curves of unknown thickness [m]; 0 for those without curves in this frame. */
export function usualCurveRadii({ points, topology }: Frame, objectCount: number): number[] {
  const { segments, object } = topology;
  const lengths: number[][] = Array.from({ length: objectCount }, () => []);
  for (let k = 0; k < segments.length; k += 2) {
    const a = 3 * segments[k];
    const b = 3 * segments[k + 1];
    const length = Math.hypot(points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]);
    if (length < NOWHERE / 2) lengths[object[segments[k]]]?.push(length);
  }
  return lengths.map((list) => SLENDERNESS * (Float64Array.from(list).sort()[list.length >> 1] ?? 0));
}
