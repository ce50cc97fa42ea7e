// `window.fibra`: what tests, and the curious, can ask of the page.

import type { Mask } from "./drawing/stage";
import type { Viewer } from "./viewer";

/** Size of the view in which pixels are counted. */
const MASK = { width: 480, height: 320 };

declare global {
  interface Window {
    fibra?: ReturnType<typeof testHook>;
  }
}

/** The answers. */
export function testHook(viewer: Viewer) {
  return {
    /** Number of the frame that is drawn; -1 before the first. */
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
    /** Time of the last change of frame on the processor [ms]. */
    get updateMs(): number {
      return viewer.updateMs;
    },
    /** Pictures drawn so far. */
    get pictures(): number {
      return viewer.stage.pictures;
    },
    /** Whether shadows are left out because pictures came too slowly. */
    get sparesShadows(): boolean {
      return viewer.isSlow;
    },
    get cacheBytes(): number {
      return viewer.cache.bytes;
    },
    /** Pixels that show each kind of thing, in a view of fixed size. */
    drawnPixels(): Mask {
      return viewer.stage.mask(MASK.width, MASK.height);
    },
    /** A number that changes when the picture does. */
    pictureHash(): number {
      return viewer.stage.pixels().reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 7);
    },
    /** Mean color of the picture, 0 to 255. */
    meanColor(): number[] {
      const bytes = viewer.stage.pixels();
      const sums = [0, 0, 0];
      for (let k = 0; k < bytes.length; k++) if (k % 4 < 3) sums[k % 4] += bytes[k];
      return sums.map((sum) => (4 * sum) / bytes.length);
    },
  };
}
