// The clock: which frame is shown when.

/** Speeds to choose from, as multiples of real time. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4] as const;

/** Plays places in a list of frames that may still grow. */
export class Playback {
  /** Place of the present frame in the list. */
  place = 0;
  count = 0;
  isPlaying = false;
  loops = true;
  /** Multiple of real time. */
  speed = 1;
  framesPerSecond = 24;
  /** Time since the present frame was due, in frames. */
  private late = 0;

  /** Starts or stops; from the last frame it starts over. */
  toggle(): void {
    this.isPlaying = !this.isPlaying && this.count > 1;
    this.late = 0;
    if (this.isPlaying && this.place === this.count - 1) this.place = 0;
  }

  stop(): void {
    this.isPlaying = false;
    this.late = 0;
  }

  /** Goes to a place, or as near as there are frames. */
  seek(place: number): void {
    this.place = Math.max(0, Math.min(this.count - 1, Math.round(place) || 0));
    this.late = 0;
  }

  /**
   * Lets `seconds` of wall time go by. Frames that are not `ready` are skipped when a later one is due and ready, and
   * waited for otherwise. Says whether the place changed.
   */
  advance(seconds: number, ready: (place: number) => boolean): boolean {
    if (!this.isPlaying || this.count < 2) return false;
    // A tab that was asleep does not jump ahead.
    this.late += Math.min(seconds, 0.25) * this.speed * this.framesPerSecond;
    const due = Math.floor(this.late);
    for (let steps = due; steps > 0; steps--) {
      const place = this.ahead(steps);
      if (place === null || ready(place)) {
        this.late -= due;
        return this.arrive(place);
      }
    }
    this.late = Math.min(this.late, 1);
    return false;
  }

  /** The places that come next, the nearest first. */
  next(count: number): number[] {
    const places: number[] = [];
    for (let steps = 1; steps <= count; steps++) {
      const place = this.ahead(steps);
      if (place === null || place === this.place) break;
      places.push(place);
    }
    return places;
  }

  /** The place some steps on; none beyond the end of a run that is not looped. */
  private ahead(steps: number): number | null {
    const place = this.place + steps;
    if (place < this.count) return place;
    return this.loops ? place % this.count : null;
  }

  private arrive(place: number | null): boolean {
    if (place === null) {
      this.stop();
      const last = this.count - 1;
      const moved = this.place !== last;
      this.place = last;
      return moved;
    }
    this.place = place;
    return true;
  }
}
