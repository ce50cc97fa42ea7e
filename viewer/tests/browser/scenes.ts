// Scenes that tests run: one of each method.

/** Scenes with the kind of thing that is mainly drawn, coarse: browsers without a graphics card are slow. */
export const SCENES = [
  { name: "jelly-drop", kind: "points", method: "mpm", coarse: ["mpm.dx=0.05"] },
  { name: "wavy-hair", kind: "segments", method: "rods", coarse: [] },
  { name: "substepping", kind: "segments", method: "hair", coarse: [] },
  { name: "plant", kind: "triangles", method: "elastons", coarse: [] },
  { name: "cards", kind: "grains", method: "grains", coarse: ["mpm.dx=0.15"] },
  { name: "dump-truck", kind: "grains", method: "round grains", coarse: ["mpm.dx=0.11"] },
  { name: "cloth-ball", kind: "triangles", method: "cloth", coarse: ["mpm.dx=0.03"] },
] as const;

/** What to run a scene with; on one core, so that the browser has the other. */
export function optionsOf({ coarse }: (typeof SCENES)[number]): string[] {
  return ["--threads", "1", ...coarse.flatMap((value) => ["--set", value])];
}
