// Reads parts of files in threads of their own: the bytes of a large frame pass through many hands on their way from
// the server, and pictures shall not wait for that.

import { fetchRange, type Part } from "./fetch_range";
import type { Answer, Wish } from "./reading_thread";
import { silence } from "./silence";

/** The script of a thread, put here when the page is built; absent in tests. */
declare const READING_THREAD: string;

/** One thread reads some 400 MB in a second; a million points with velocities, 24 times a second, are 600 MB. */
const THREADS = 2;

interface Waiting {
  readonly wish: Wish;
  readonly resolve: (part: Part | Promise<Part>) => void;
  readonly reject: (reason: Error) => void;
}

/** Reads parts of files; where there are no threads, in the page's own. */
export class RangeReader {
  private threads = startThreads((broken) => (this.threads = this.threads.filter((thread) => thread !== broken)));

  /** Bytes `begin..end` of a file, fewer if it is shorter. */
  read(address: string, begin: number, end: number): Promise<Part> {
    const [thread] = [...this.threads].sort((a, b) => a.wishes - b.wishes);
    // Threads do not know where the page is from.
    return thread ? thread.read(new URL(address, location.href).href, begin, end) : fetchRange(address, begin, end);
  }
}

/** A thread that reads, seen from the page. */
class Thread {
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;

  constructor(
    private readonly worker: Worker,
    onBreak: (self: Thread) => void,
  ) {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.hear(data);
    worker.onerror = () => {
      onBreak(this);
      this.giveUp();
    };
  }

  /** How many wishes it has not answered. */
  get wishes(): number {
    return this.waiting.size;
  }

  read(address: string, begin: number, end: number): Promise<Part> {
    const wish = { id: this.count++, address, begin, end };
    return new Promise((resolve, reject) => {
      this.waiting.set(wish.id, { wish, resolve, reject });
      this.worker.postMessage(wish);
    });
  }

  private hear(answer: Answer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ("part" in answer) waiting?.resolve(answer.part);
    else waiting?.reject(answer.isSilence ? silence(answer.problem) : new Error(answer.problem));
  }

  /** It could not start, or broke: the page reads what was asked of it. */
  private giveUp(): void {
    this.worker.terminate();
    for (const { wish, resolve } of this.waiting.values()) resolve(fetchRange(wish.address, wish.begin, wish.end));
    this.waiting.clear();
  }
}

function startThreads(onBreak: (thread: Thread) => void): Thread[] {
  if (typeof READING_THREAD === "undefined" || typeof Worker === "undefined") return [];
  const address = URL.createObjectURL(new Blob([READING_THREAD], { type: "text/javascript" }));
  try {
    return Array.from({ length: THREADS }, () => new Thread(new Worker(address), onBreak));
  } catch {
    return [];
  }
}
