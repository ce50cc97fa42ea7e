// Cache of frames, limited by memory.

import type { Frame } from "./frame";
import type { FrameReader } from "./frame_reader";
import { isConnectionError } from "./connection_error";

/** Maximum number of concurrent reads. Browsers open at most six connections to a server, and a frame may need two. */
const MAX_READS = 3;

/** A least-recently-used cache with prefetching. */
export class FrameCache {
  /** Ordered by last use, oldest first. */
  private readonly frames = new Map<number, Frame>();
  private readonly reads = new Map<number, Promise<Frame>>();
  /** Errors of frames that could not be read. Prefetching skips these frames. */
  private readonly failed = new Map<number, unknown>();
  private extra: readonly string[] = [];

  constructor(
    private readonly reader: Pick<FrameReader, "read" | "readMore">,
    /** Memory limit [bytes]. */
    private readonly maxBytes: number,
  ) {}

  /** Sets the names of additional tensors that each frame must have from now on. */
  setExtra(names: readonly string[]): void {
    this.extra = names;
  }

  /** Numbers of the frames in memory. */
  get numbers(): Iterable<number> {
    return this.frames.keys();
  }

  get bytes(): number {
    let sum = this.topologyBytes();
    for (const frame of this.frames.values()) sum += frame.bytes;
    return sum;
  }

  /** The frame, if it is cached with all required tensors. */
  get(number: number): Frame | undefined {
    const frame = this.frames.get(number);
    if (!frame || !this.isComplete(frame)) return undefined;
    this.frames.delete(number);
    this.frames.set(number, frame);
    return frame;
  }

  /** Returns the cached frame, joins a read in progress, or reads the frame. */
  load(number: number): Promise<Frame> {
    const cached = this.get(number);
    if (cached) return Promise.resolve(cached);
    const read = this.reads.get(number) ?? this.start(number);
    // More tensors may have been required after the read began.
    return read.then((frame) => (this.isComplete(frame) ? frame : this.load(number)));
  }

  /** Why the frame could not be read; undefined if it was not tried or the server did not respond. */
  failure(number: number): unknown {
    const failure = this.failed.get(number);
    return isConnectionError(failure) ? undefined : failure;
  }

  /** Allows prefetching to retry all frames that could not be read. */
  forgetFailures(): void {
    this.failed.clear();
  }

  /** Allows retries of frames that failed because the server did not respond. Call this once it responds again. */
  forgetConnectionErrors(): void {
    for (const [number, reason] of this.failed) {
      if (isConnectionError(reason)) this.failed.delete(number);
    }
  }

  /** Reads frames in the background, in the given order, as far as half of the memory limit allows. */
  prefetch(numbers: readonly number[]): void {
    const limit = Math.max(1, Math.floor(this.maxBytes / 2 / this.maxFrameBytes()));
    for (const number of numbers.slice(0, limit)) {
      if (this.reads.size >= MAX_READS) return;
      const frame = this.frames.get(number);
      if (!(frame && this.isComplete(frame)) && !this.reads.has(number) && !this.failed.has(number)) {
        // The error is stored, and reported when the frame is shown.
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
    let frame = this.frames.get(number);
    if (frame) {
      await this.reader.readMore(frame, extra);
    } else {
      frame = await this.reader.read(number, extra);
    }
    this.failed.delete(number);
    this.frames.delete(number);
    this.frames.set(number, frame);
    this.evict();
    return frame;
  }

  private isComplete(frame: Frame): boolean {
    return this.extra.every((name) => frame.tensors.has(name) || !frame.header.tensors.has(name));
  }

  private evict(): void {
    for (const number of this.frames.keys()) {
      if (this.frames.size <= 1 || this.bytes <= this.maxBytes) return;
      this.frames.delete(number);
    }
  }

  /** Estimated memory of one more frame [bytes]. */
  private maxFrameBytes(): number {
    let largest = 1;
    for (const frame of this.frames.values()) largest = Math.max(largest, frame.bytes);
    return largest + this.topologyBytes() / Math.max(1, this.frames.size);
  }

  /** Memory of all distinct topologies [bytes]. Frames with the same elements share one topology. */
  private topologyBytes(): number {
    const topologies = new Set([...this.frames.values()].map(({ topology }) => topology));
    let sum = 0;
    for (const topology of topologies) sum += topology.bytes;
    return sum;
  }
}
