// One part of a file on the server.

/** Bytes of a file, and how long all of it is. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly total: number;
}

/** Bytes `begin..end` of a file, fewer if it is shorter; all from `begin` on where the server sends files as a whole. */
export async function fetchRange(address: string, begin: number, end: number): Promise<Part> {
  const response = await fetch(address, { headers: { Range: `bytes=${begin}-${end - 1}` }, cache: "no-store" });
  if (!response.ok) {
    throw new Error(response.status === 404 ? "the file is not there" : `the server answers ${response.status}`);
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
 * Reads a body straight into its place, which takes half of the time that `arrayBuffer` does. Nothing where the browser
 * cannot do that; fewer bytes if the body is shorter than the buffer.
 */
async function readInto(buffer: ArrayBuffer, { body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = bytesReader(body);
  if (!reader) return null;
  let at = 0;
  while (at < buffer.byteLength) {
    // The buffer is handed over, and comes back as another.
    const { done, value } = await reader.read(new Uint8Array(buffer, at));
    if (!value) break;
    buffer = value.buffer;
    at += value.byteLength;
    if (done) break;
  }
  // The end is to be heard, so that the connection can be used again.
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
