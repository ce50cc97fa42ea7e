// Frames in memory: those near the present one, up to a number of bytes.

import type { Frame } from "./frame";
import type { FrameReader } from "./frame_reader";
import { isSilence } from "./silence";

/** Frames that are read ahead at the same time, at most: browsers ask a server six things at a time, and a frame may take two. */
const MOST_READS = 3;

/** Keeps the frames used last, and reads ahead. */
export class FrameCache {
  /** In the order of their last use, oldest first. */
  private readonly kept = new Map<number, Frame>();
  private readonly reads = new Map<number, Promise<Frame>>();
  /** Why frames could not be read; they are not tried again unless somebody asks. */
  private readonly failed = new Map<number, unknown>();
  private extra: readonly string[] = [];

  constructor(
    private readonly reader: Pick<FrameReader, "read" | "readMore">,
    /** Memory that frames may take [bytes]. */
    private readonly mostBytes: number,
  ) {}

  /** From now on frames are complete only with these tensors as well. */
  setExtra(names: readonly string[]): void {
    this.extra = names;
  }

  /** Numbers of the frames in memory. */
  get numbers(): Iterable<number> {
    return this.kept.keys();
  }

  get bytes(): number {
    let sum = this.topologyBytes();
    for (const frame of this.kept.values()) sum += frame.bytes;
    return sum;
  }

  /** The frame, if it is in memory with all that is wanted of it. */
  get(number: number): Frame | undefined {
    const frame = this.kept.get(number);
    if (!frame || !this.isComplete(frame)) return undefined;
    this.kept.delete(number);
    this.kept.set(number, frame);
    return frame;
  }

  /** Reads the frame, unless it is in memory or on its way. */
  load(number: number): Promise<Frame> {
    const there = this.get(number);
    if (there) return Promise.resolve(there);
    const read = this.reads.get(number) ?? this.start(number);
    // The wish for more tensors may have come after the read began.
    return read.then((frame) => (this.isComplete(frame) ? frame : this.load(number)));
  }

  /** Why the frame could not be read; nothing if it was not tried or the server did not answer. */
  failure(number: number): unknown {
    const failure = this.failed.get(number);
    return isSilence(failure) ? undefined : failure;
  }

  /** Frames that could not be read may be there now. */
  forgetFailures(): void {
    this.failed.clear();
  }

  /** The server answers: frames that it was asked for in vain can be tried again. */
  forgetSilence(): void {
    for (const [number, reason] of this.failed) {
      if (isSilence(reason)) this.failed.delete(number);
    }
  }

  /** Reads frames that will be wanted soon, the first ones first, as far as they fit. */
  prefetch(numbers: readonly number[]): void {
    const one = this.largest();
    const most = Math.max(1, Math.floor(this.mostBytes / 2 / one));
    for (const number of numbers.slice(0, most)) {
      if (this.reads.size >= MOST_READS) return;
      const frame = this.kept.get(number);
      if (!(frame && this.isComplete(frame)) && !this.reads.has(number) && !this.failed.has(number)) {
        // A frame that cannot be read says so when it is its turn.
        this.load(number).catch(() => undefined);
      }
    }
  }

  private start(number: number): Promise<Frame> {
    const read = this.read(number)
      .catch((error: unknown) => {
        this.failed.set(number, error);
        throw error;
      })
      .finally(() => this.reads.delete(number));
    this.reads.set(number, read);
    return read;
  }

  private async read(number: number): Promise<Frame> {
    const extra = this.extra;
    let frame = this.kept.get(number);
    if (frame) {
      await this.reader.readMore(frame, extra);
    } else {
      frame = await this.reader.read(number, extra);
    }
    this.failed.delete(number);
    this.kept.delete(number);
    this.kept.set(number, frame);
    this.evict();
    return frame;
  }

  private isComplete(frame: Frame): boolean {
    return this.extra.every((name) => frame.tensors.has(name) || !frame.header.tensors.has(name));
  }

  private evict(): void {
    for (const number of this.kept.keys()) {
      if (this.kept.size <= 1 || this.bytes <= this.mostBytes) return;
      this.kept.delete(number);
    }
  }

  /** Memory that one more frame may take [bytes]. */
  private largest(): number {
    let most = 1;
    for (const frame of this.kept.values()) most = Math.max(most, frame.bytes);
    return most + this.topologyBytes() / Math.max(1, this.kept.size);
  }

  /** Frames with the same elements share them; in some runs each frame has its own. */
  private topologyBytes(): number {
    const topologies = new Set([...this.kept.values()].map(({ topology }) => topology));
    let sum = 0;
    for (const topology of topologies) sum += topology.bytes;
    return sum;
  }
}
