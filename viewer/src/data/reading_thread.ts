// The thread that reads: the script of a worker, which answers each wish with its bytes.

import { fetchRange, type Part } from "./fetch_range";
import { isSilence } from "./silence";

/** Bytes `begin..end` of a file are wanted; the answer has the same `id`. */
export interface Wish {
  readonly id: number;
  readonly address: string;
  readonly begin: number;
  readonly end: number;
}

/** What was read, or why it could not be. */
export type Answer =
  | { readonly id: number; readonly part: Part }
  | { readonly id: number; readonly problem: string; readonly isSilence: boolean };

onmessage = async ({ data: { id, address, begin, end } }: MessageEvent<Wish>) => {
  const answer = (answer: Answer, owned: Transferable[] = []) => postMessage(answer, { transfer: owned });
  try {
    const part = await fetchRange(address, begin, end);
    answer({ id, part }, [part.bytes.buffer]);
  } catch (error) {
    answer({ id, problem: error instanceof Error ? error.message : String(error), isSilence: isSilence(error) });
  }
};
