// Fetches a byte range of a file on the server.

/** A byte range of a file, and the length of the whole file [bytes]. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly total: number;
}

/** Fetches bytes `begin..end` of a file. Returns fewer bytes if the file is shorter, and all bytes from `begin` on if the server ignores ranges. */
export async function fetchRange(address: string, begin: number, end: number): Promise<Part> {
  const response = await fetch(address, { headers: { Range: `bytes=${begin}-${end - 1}` }, cache: "no-store" });
  if (!response.ok) {
    throw new Error(response.status === 404 ? "file not found" : `the server returned status ${response.status}`);
  }
  if (response.status !== 206) {
    const body = new Uint8Array(await response.arrayBuffer());
    return { bytes: begin === 0 ? body : body.slice(begin), total: body.byteLength };
  }
  const length = Math.min(end - begin, Number(response.headers.get("Content-Length") ?? end - begin));
  const bytes = (await readInto(new ArrayBuffer(length), response)) ?? new Uint8Array(await response.arrayBuffer());
  const total = Number(/\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1] ?? begin + bytes.byteLength);
  return { bytes, total };
}

/**
 * Reads a response body directly into a buffer, in half the time of `arrayBuffer()`. Returns null if the browser does not
 * support this, and fewer bytes if the body is shorter than the buffer.
 */
async function readInto(buffer: ArrayBuffer, { body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = bytesReader(body);
  if (!reader) return null;
  let at = 0;
  while (at < buffer.byteLength) {
    // `read` detaches the buffer and returns its memory as a new one.
    const { done, value } = await reader.read(new Uint8Array(buffer, at));
    if (!value) break;
    buffer = value.buffer;
    at += value.byteLength;
    if (done) break;
  }
  // Read up to the end of the body, so that the connection can be reused.
  const { done } = await reader.read(new Uint8Array(1));
  if (!done) await reader.cancel();
  return new Uint8Array(buffer, 0, at);
}

function bytesReader(body: Response["body"]): ReadableStreamBYOBReader | null {
  try {
    return body?.getReader({ mode: "byob" }) ?? null;
  } catch {
    return null;
  }
}
