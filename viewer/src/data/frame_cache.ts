// Frames in memory: those near the present one, up to a number of bytes.

import type { Frame } from "./frame";
import type { FrameReader } from "./frame_reader";

/** Frames that are read at the same time, at most. */
const MOST_READS = 3;

/** Keeps the frames used last, and reads ahead. */
export class FrameCache {
  /** In the order of their last use, oldest first. */
  private readonly kept = new Map<number, Frame>();
  private readonly reads = new Map<number, Promise<Frame>>();
  /** Frames that could not be read; they are not tried again unless somebody asks. */
  private readonly failed = new Set<number>();
  private extra: readonly string[] = [];
  /** Counts up when everything is forgotten, so that late answers are not kept. */
  private age = 0;

  constructor(
    private readonly reader: FrameReader,
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
    let sum = 0;
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
    const onItsWay = this.reads.get(number);
    if (onItsWay) {
      // The wish for more tensors may have come after the read began.
      return onItsWay.then((frame) => (this.isComplete(frame) ? frame : this.load(number)));
    }
    const read = this.read(number)
      .catch((error: unknown) => {
        this.failed.add(number);
        throw error;
      })
      .finally(() => this.reads.delete(number));
    this.reads.set(number, read);
    return read;
  }

  /** Reads frames that will be wanted soon, the first ones first, as far as they fit. */
  prefetch(numbers: readonly number[]): void {
    const one = this.largest();
    let room = this.mostBytes / 2;
    for (const number of numbers) {
      room -= one;
      if (this.reads.size >= MOST_READS || room < 0) return;
      const frame = this.kept.get(number);
      if (!(frame && this.isComplete(frame)) && !this.reads.has(number) && !this.failed.has(number)) {
        // A frame that cannot be read says so when it is its turn.
        this.load(number).catch(() => undefined);
      }
    }
  }

  /** Forgets all frames. */
  clear(): void {
    this.kept.clear();
    this.failed.clear();
    this.age += 1;
  }

  private async read(number: number): Promise<Frame> {
    const age = this.age;
    const extra = this.extra;
    let frame = this.kept.get(number);
    if (frame) {
      await this.reader.readMore(frame, extra);
    } else {
      frame = await this.reader.read(number, extra);
    }
    this.failed.delete(number);
    if (age === this.age) {
      this.kept.delete(number);
      this.kept.set(number, frame);
      this.evict();
    }
    return frame;
  }

  private isComplete(frame: Frame): boolean {
    return this.extra.every((name) => frame.tensors.has(name) || !frame.header.tensors.has(name));
  }

  private evict(): void {
    let bytes = this.bytes;
    for (const [number, frame] of this.kept) {
      if (bytes <= this.mostBytes || this.kept.size <= 1) return;
      this.kept.delete(number);
      bytes -= frame.bytes;
    }
  }

  private largest(): number {
    let most = 1;
    for (const frame of this.kept.values()) most = Math.max(most, frame.bytes);
    return most;
  }
}
