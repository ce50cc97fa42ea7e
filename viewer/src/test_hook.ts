// `window.fibra`: read-only state of the page for tests and debugging.

import type { Mask } from "./drawing/stage";
import type { Viewer } from "./viewer";

/** Size of the view for pixel counts. */
const MASK = { width: 480, height: 320 };

declare global {
  interface Window {
    fibra?: ReturnType<typeof testHook>;
  }
}

/** Creates the object for `window.fibra`. */
export function testHook(viewer: Viewer) {
  return {
    /** Number of the displayed frame; -1 before the first. */
    get frame(): number {
      return viewer.frame?.number ?? -1;
    },
    get frameCount(): number {
      return viewer.frames.length;
    },
    get playing(): boolean {
      return viewer.playback.isPlaying;
    },
    get following(): boolean {
      return viewer.isFollowing;
    },
    get loading(): boolean {
      return viewer.isLoading;
    },
    get status(): string {
      return viewer.status;
    },
    get counts() {
      return viewer.counts;
    },
    get color() {
      const { by, range } = viewer.coloring;
      return { by, range, choices: viewer.choices.map(({ key }) => key) };
    },
    /** CPU time of the last frame change [ms]. */
    get updateMs(): number {
      return viewer.updateMs;
    },
    /** Number of images rendered so far. */
    get imageCount(): number {
      return viewer.stage.imageCount;
    },
    /** Whether shadows are off because rendering was too slow. */
    get areShadowsSuspended(): boolean {
      return viewer.isSlow;
    },
    get cacheBytes(): number {
      return viewer.cache.bytes;
    },
    /** Number of pixels that show points, segments, triangles and grains, in a view of fixed size. */
    drawnPixels(): Mask {
      return viewer.stage.mask(MASK.width, MASK.height);
    },
    /** Hash of the rendered image. */
    imageHash(): number {
      return viewer.stage.pixels().reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 7);
    },
    /** Mean color of the rendered image, 0 to 255. */
    meanColor(): number[] {
      const bytes = viewer.stage.pixels();
      const sums = [0, 0, 0];
      for (let k = 0; k < bytes.length; k++) if (k % 4 < 3) sums[k % 4] += bytes[k];
      return sums.map((sum) => (4 * sum) / bytes.length);
    },
  };
}
