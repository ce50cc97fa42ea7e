// From wishes to see a frame, which may come faster than frames can be read, to frames that are drawn.

import type { Frame } from "./data/frame";
import type { FrameCache } from "./data/frame_cache";
import { isSilence } from "./data/silence";
import { Latest } from "./latest";

/** A frame is to be seen; `count` grows from wish to wish. */
interface Wish {
  readonly number: number;
  readonly count: number;
  /** Whether it is the turn of the frame because it plays. */
  readonly isPlayed: boolean;
}

/** Where frames are drawn. */
export interface Screen {
  /** Whether frames can be drawn as they come; otherwise `prepare` is called first. */
  isPrepared(): boolean;
  prepare(frame: Frame): Promise<void>;
  /** Draws the frame; an error says why that cannot be done. */
  draw(frame: Frame): void;
  /** Says why a frame is not seen, or that nothing is wrong any more. */
  tell(note: string | null): void;
}

/** Fulfils wishes: at once for frames in memory, else one read at a time, of which each is seen. */
export class Wishes {
  /** Whether a frame is waited for. */
  isLoading = false;
  /** Whether the server did not answer when the last frame was asked for. */
  isCutOff = false;
  /** Wishes so far, and the last that was fulfilled: late answers to older ones are not shown. */
  private count = 0;
  private fulfilled = 0;
  private readonly reads = new Latest<Wish>((wish) => this.read(wish));

  constructor(
    private readonly cache: Pick<FrameCache, "get" | "load" | "failure">,
    private readonly screen: Screen,
  ) {}

  /** Somebody wants to see a frame, or it is its turn because it plays. */
  see(number: number, isPlayed: boolean): void {
    const wish = { number, count: ++this.count, isPlayed };
    const frame = this.screen.isPrepared() ? this.cache.get(number) : undefined;
    const failure = isPlayed ? this.cache.failure(number) : undefined;
    if (frame ?? failure) {
      this.reads.cancel();
      this.fulfil(wish, frame, failure);
    } else {
      this.isLoading = true;
      this.reads.ask(wish);
    }
  }

  private async read(wish: Wish): Promise<void> {
    try {
      const frame = await this.cache.load(wish.number);
      if (!this.screen.isPrepared()) await this.screen.prepare(frame);
      this.fulfil(wish, frame);
    } catch (error) {
      this.fulfil(wish, undefined, error);
    }
  }

  private fulfil({ number, count, isPlayed }: Wish, frame: Frame | undefined, failure?: unknown): void {
    if (count < this.fulfilled) return;
    this.fulfilled = count;
    this.isLoading = count < this.count;
    try {
      if (!frame) throw failure;
      this.screen.draw(frame);
      this.isCutOff = false;
      // While it plays there is no time to read about single frames, so the last note stays.
      if (!isPlayed) this.screen.tell(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.isCutOff = isSilence(error);
      this.screen.tell(`Frame ${number} cannot be shown: ${reason}`);
    }
  }
}
