// Script of the worker that reads byte ranges: it sends one response for each request.

import { fetchRange, type Part } from "./fetch_range";
import { isConnectionError } from "./connection_error";

/** Requests bytes `begin..end` of a file; the response has the same `id`. */
export interface ReadRequest {
  readonly id: number;
  readonly address: string;
  readonly begin: number;
  readonly end: number;
}

/** The bytes, or the error that prevented the read. */
export type ReadResponse =
  | { readonly id: number; readonly part: Part }
  | { readonly id: number; readonly message: string; readonly isConnectionError: boolean };

onmessage = async ({ data: { id, address, begin, end } }: MessageEvent<ReadRequest>) => {
  const respond = (response: ReadResponse, owned: Transferable[] = []) => postMessage(response, { transfer: owned });
  try {
    const part = await fetchRange(address, begin, end);
    respond({ id, part }, [part.bytes.buffer]);
  } catch (error) {
    respond({ id, message: error instanceof Error ? error.message : String(error), isConnectionError: isConnectionError(error) });
  }
};
