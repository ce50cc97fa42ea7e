// Appearance of the objects, encoded for shaders.

import { categorical } from "../data/color_maps";
import { HIDDEN, type Frame } from "../data/frame";
import type { ObjectAppearance } from "../data/server";

/** Gloss of materials: 0 is matte, 1 is wet [-]. Other materials are nearly matte. */
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

/** Curve radius relative to the median segment length, for materials without a radius [-]. */
const SLENDERNESS = 0.1;

/** Twelve values per object; `appearanceOf` in the shaders describes them. */
export function appearanceTexels(
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
    // Balls with a visible rotation are drawn by `BallsDrawing`.
    const pointRadius = object.turns ? 0 : object.point_radius;
    texels.set([pointRadius, object.curve_radius ?? curveRadii[index] ?? 0, grain, isHair], 12 * index + 4);
    texels.set([...(object.grain?.size ?? [0, 0, 0]), GLOSS[object.material] ?? 0.05], 12 * index + 8);
  });
  return texels;
}

/** The color of each object's material, linear RGB. */
export function materialColors(objects: readonly ObjectAppearance[]): number[][] {
  const materials = materialsOf(objects);
  return objects.map((object) => categorical(materials.indexOf(object.material)));
}

/** The distinct materials of a scene, in order of first use. */
export function materialsOf(objects: readonly ObjectAppearance[]): string[] {
  return [...new Set(objects.map((object) => object.material))];
}

/** Default curve radius of each object [m], derived from the frame's segment lengths; 0 for objects without curves in the frame. */
export function defaultCurveRadii({ points, topology }: Frame, objectCount: number): number[] {
  const { segments, object } = topology;
  const lengths: number[][] = Array.from({ length: objectCount }, () => []);
  for (let k = 0; k < segments.length; k += 2) {
    const a = 3 * segments[k];
    const b = 3 * segments[k + 1];
    const length = Math.hypot(points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]);
    if (length < HIDDEN / 2) lengths[object[segments[k]]]?.push(length);
  }
  return lengths.map((list) => SLENDERNESS * (Float64Array.from(list).sort()[list.length >> 1] ?? 0));
}
