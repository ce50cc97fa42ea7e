// Handles requests to show a frame. Requests may arrive faster than frames can be read.

import type { Frame } from "./data/frame";
import type { FrameCache } from "./data/frame_cache";
import { isConnectionError } from "./data/connection_error";
import { LatestTask } from "./latest_task";

/** A request to show a frame; `serial` increases from request to request. */
interface FrameRequest {
  readonly number: number;
  readonly serial: number;
  /** Whether playback requested the frame, in contrast to the user. */
  readonly isPlayed: boolean;
}

/** Draws frames and shows error messages. */
export interface Screen {
  /** Whether frames can be drawn; otherwise `prepare` is called first. */
  isPrepared(): boolean;
  prepare(frame: Frame): Promise<void>;
  /** Draws the frame; throws if that is impossible. */
  draw(frame: Frame): void;
  /** Shows why a frame cannot be shown; null removes the message. */
  setNote(note: string | null): void;
}

/** Shows cached frames immediately. Reads other frames one at a time, and shows each one that was read. */
export class FrameRequests {
  /** Whether a requested frame is still loading. */
  isLoading = false;
  /** Whether the last request failed because the server did not respond. */
  isDisconnected = false;
  /** Serial numbers of the last request and of the last completed one: results of older requests are dropped. */
  private lastRequested = 0;
  private lastCompleted = 0;
  private readonly reads = new LatestTask<FrameRequest>((request) => this.read(request));

  constructor(
    private readonly cache: Pick<FrameCache, "get" | "load" | "failure">,
    private readonly screen: Screen,
  ) {}

  /** Requests a frame; `isPlayed` if playback requests it, in contrast to the user. */
  request(number: number, isPlayed: boolean): void {
    const request = { number, serial: ++this.lastRequested, isPlayed };
    const frame = this.screen.isPrepared() ? this.cache.get(number) : undefined;
    const failure = isPlayed ? this.cache.failure(number) : undefined;
    if (frame ?? failure) {
      this.reads.cancel();
      this.complete(request, frame, failure);
    } else {
      this.isLoading = true;
      this.reads.submit(request);
    }
  }

  private async read(request: FrameRequest): Promise<void> {
    try {
      const frame = await this.cache.load(request.number);
      if (!this.screen.isPrepared()) await this.screen.prepare(frame);
      this.complete(request, frame);
    } catch (error) {
      this.complete(request, undefined, error);
    }
  }

  private complete({ number, serial, isPlayed }: FrameRequest, frame: Frame | undefined, failure?: unknown): void {
    if (serial < this.lastCompleted) return;
    this.lastCompleted = serial;
    this.isLoading = serial < this.lastRequested;
    try {
      if (!frame) throw failure;
      this.screen.draw(frame);
      this.isDisconnected = false;
      // During playback the last message stays, so that there is time to read it.
      if (!isPlayed) this.screen.setNote(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.isDisconnected = isConnectionError(error);
      this.screen.setNote(`Cannot show frame ${number}: ${reason}`);
    }
  }
}
