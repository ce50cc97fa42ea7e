// Reads byte ranges of files in workers, so that copying the bytes of a large frame does not delay rendering.

import { fetchRange, type Part } from "./fetch_range";
import { connectionError } from "./connection_error";
import type { ReadRequest, ReadResponse } from "./read_worker";

/** Source code of the worker, inserted by `build.mjs`; undefined in tests. */
declare const READ_WORKER: string;

/** One worker reads about 400 MB/s; a million points with velocities at 24 frames per second need 600 MB/s. */
const WORKERS = 2;

interface PendingRead {
  readonly request: ReadRequest;
  readonly resolve: (part: Part | Promise<Part>) => void;
  readonly reject: (reason: Error) => void;
}

/** Reads byte ranges of files in workers, or in the main thread if no worker is available. */
export class RangeReader {
  private readers = startReaders((broken) => (this.readers = this.readers.filter((reader) => reader !== broken)));

  /** Reads bytes `begin..end` of a file; fewer if the file is shorter. */
  read(address: string, begin: number, end: number): Promise<Part> {
    const [reader] = [...this.readers].sort((a, b) => a.pendingCount - b.pendingCount);
    // A worker cannot resolve addresses relative to the page.
    return reader ? reader.read(new URL(address, location.href).href, begin, end) : fetchRange(address, begin, end);
  }
}

/** Sends requests to one worker. */
class WorkerReader {
  private readonly pending = new Map<number, PendingRead>();
  private count = 0;

  constructor(
    private readonly worker: Worker,
    onError: (self: WorkerReader) => void,
  ) {
    worker.onmessage = ({ data }: MessageEvent<ReadResponse>) => this.receive(data);
    worker.onerror = () => {
      onError(this);
      this.readInMainThread();
    };
  }

  /** Number of requests without a response. */
  get pendingCount(): number {
    return this.pending.size;
  }

  read(address: string, begin: number, end: number): Promise<Part> {
    const request = { id: this.count++, address, begin, end };
    return new Promise((resolve, reject) => {
      this.pending.set(request.id, { request, resolve, reject });
      this.worker.postMessage(request);
    });
  }

  private receive(response: ReadResponse): void {
    const pending = this.pending.get(response.id);
    this.pending.delete(response.id);
    if ("part" in response) pending?.resolve(response.part);
    else pending?.reject(response.isConnectionError ? connectionError(response.message) : new Error(response.message));
  }

  /** Stops the worker, which failed or could not start, and processes its pending requests in the main thread. */
  private readInMainThread(): void {
    this.worker.terminate();
    for (const { request, resolve } of this.pending.values()) resolve(fetchRange(request.address, request.begin, request.end));
    this.pending.clear();
  }
}

function startReaders(onError: (reader: WorkerReader) => void): WorkerReader[] {
  if (typeof READ_WORKER === "undefined" || typeof Worker === "undefined") return [];
  const address = URL.createObjectURL(new Blob([READ_WORKER], { type: "text/javascript" }));
  try {
    return Array.from({ length: WORKERS }, () => new WorkerReader(new Worker(address), onError));
  } catch {
    return [];
  }
}
