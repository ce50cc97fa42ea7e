// Detects whether rendering keeps up during playback.

/** Longest acceptable mean interval between rendered images [s]. */
const MAX_INTERVAL = 1 / 28;

/** Weight of a new interval in the running mean [-]. */
const WEIGHT = 0.1;

/** Running mean of the interval between rendered images. */
export class FrameRateMonitor {
  private mean = 0;
  /** Whether rendering is too slow. While this is true, shadows are off and rendering is faster, so it stays true until playback stops. */
  isSlow = false;

  /** Adds the time since the last rendered image [s]. */
  addInterval(seconds: number, isPlaying: boolean): void {
    if (!isPlaying) {
      this.mean = 0;
      this.isSlow = false;
      return;
    }
    // Clamp single long waits, for example for a frame from disk.
    this.mean += WEIGHT * (Math.min(seconds, 0.2) - this.mean);
    this.isSlow ||= this.mean > MAX_INTERVAL;
  }
}
