// Whether the machine keeps up while it plays.

/** Slower than this and something has to go [s]. */
const SLOWEST = 1 / 28;

/** Share of a new interval in the mean [-]. */
const WEIGHT = 0.1;

/** A mean over the intervals between pictures. */
export class Pace {
  private mean = 0;
  /** Whether pictures come too slowly; stays so until playing stops, as they would come faster without shadows. */
  isSlow = false;

  /** Takes in the time since the last picture [s]. */
  note(seconds: number, isPlaying: boolean): void {
    if (!isPlaying) {
      this.mean = 0;
      this.isSlow = false;
      return;
    }
    // A single long wait, as for a frame from the disk, does not count much.
    this.mean += WEIGHT * (Math.min(seconds, 0.2) - this.mean);
    this.isSlow ||= this.mean > SLOWEST;
  }
}
