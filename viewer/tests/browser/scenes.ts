// Scenes for the browser tests: one for each method.

/** Scenes with their main kind of primitive. They are coarse, because software rendering is slow. */
export const SCENES = [
  { name: "jelly-drop", kind: "points", method: "mpm", coarse: ["mpm.dx=0.05"] },
  { name: "wavy-hair", kind: "segments", method: "rods", coarse: [] },
  { name: "substepping", kind: "segments", method: "hair", coarse: [] },
  { name: "plant", kind: "triangles", method: "elastons", coarse: [] },
  { name: "cards", kind: "grains", method: "grains", coarse: ["mpm.dx=0.15"] },
  { name: "dump-truck", kind: "grains", method: "round grains", coarse: ["mpm.dx=0.11"] },
  { name: "cloth-ball", kind: "triangles", method: "cloth", coarse: ["mpm.dx=0.03"] },
] as const;

/** Options of `fibra run` for a scene: one thread, so that another core is free for the browser. */
export function optionsOf({ coarse }: (typeof SCENES)[number]): string[] {
  return ["--threads", "1", ...coarse.flatMap((value) => ["--set", value])];
}
