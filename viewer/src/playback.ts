// The playback clock: decides when each frame is shown.

/** Available playback speeds, as multiples of real time. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4] as const;

/** Advances an index through a list of frames that may still grow. */
export class Playback {
  /** Index of the current frame in the list. */
  index = 0;
  count = 0;
  isPlaying = false;
  loops = true;
  /** Multiple of real time. */
  speed = 1;
  framesPerSecond = 24;
  /** Time since the current frame was due [frame intervals]. */
  private elapsed = 0;

  /** Starts or stops playback. Starting at the last frame restarts from the first. */
  toggle(): void {
    this.isPlaying = !this.isPlaying && this.count > 1;
    this.elapsed = 0;
    if (this.isPlaying && this.index === this.count - 1) this.index = 0;
  }

  stop(): void {
    this.isPlaying = false;
    this.elapsed = 0;
  }

  /** Goes to an index, clamped to the list. */
  seek(index: number): void {
    this.index = Math.max(0, Math.min(this.count - 1, Math.round(index) || 0));
    this.elapsed = 0;
  }

  /**
   * Advances the clock by `seconds` of wall time. If the frame that is due is not `ready`, an earlier ready one is shown
   * instead; if there is none, playback waits. Returns whether the index changed.
   */
  advance(seconds: number, ready: (index: number) => boolean): boolean {
    if (!this.isPlaying || this.count < 2) return false;
    // Clamp the time, so that a tab that was suspended does not jump ahead.
    this.elapsed += Math.min(seconds, 0.25) * this.speed * this.framesPerSecond;
    const due = Math.floor(this.elapsed);
    for (let steps = due; steps > 0; steps--) {
      const index = this.ahead(steps);
      if (index === null || ready(index)) {
        this.elapsed -= due;
        return this.moveTo(index);
      }
    }
    this.elapsed = Math.min(this.elapsed, 1);
    return false;
  }

  /** The next `count` indices in playback order. */
  next(count: number): number[] {
    const indices: number[] = [];
    for (let steps = 1; steps <= count; steps++) {
      const index = this.ahead(steps);
      if (index === null || index === this.index) break;
      indices.push(index);
    }
    return indices;
  }

  /** The index `steps` frames ahead; null beyond the end unless playback loops. */
  private ahead(steps: number): number | null {
    const index = this.index + steps;
    if (index < this.count) return index;
    return this.loops ? index % this.count : null;
  }

  private moveTo(index: number | null): boolean {
    if (index === null) {
      this.stop();
      const last = this.count - 1;
      const moved = this.index !== last;
      this.index = last;
      return moved;
    }
    this.index = index;
    return true;
  }
}
