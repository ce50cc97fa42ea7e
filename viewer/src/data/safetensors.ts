// Parses the header of a safetensors file: an 8-byte length, then JSON with the location of each tensor.

/** Values of a tensor. */
export type Numbers = Float32Array | Uint32Array;

/** Location of a tensor in its file. */
export interface TensorLocation {
  readonly dtype: "F32" | "U32";
  readonly shape: readonly number[];
  /** First byte, counted from the start of the file. */
  readonly begin: number;
  /** One past the last byte. */
  readonly end: number;
}

/** A parsed header. */
export interface Header {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, TensorLocation>;
}

/** Maximum length of a header [bytes]. */
export const MAX_HEADER_BYTES = 16 * 1024 * 1024;

const ITEM_BYTES = 4;

/** End of the header [bytes], computed from the first 8 bytes of a file. */
export function headerEnd(start: Uint8Array): number {
  if (start.byteLength < 8) {
    throw new Error("the file ends before its header");
  }
  const view = new DataView(start.buffer, start.byteOffset, 8);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length > MAX_HEADER_BYTES) {
    throw new Error(`the header has ${length} bytes, more than the allowed ${MAX_HEADER_BYTES}: this is not a frame file`);
  }
  return 8 + length;
}

/** Parses the header at the start of a file of `fileBytes`. Tensors that are neither F32 nor U32 are skipped. */
export function parseHeader(start: Uint8Array, fileBytes: number): Header {
  const dataBegin = headerEnd(start);
  if (start.byteLength < dataBegin || fileBytes < dataBegin) {
    throw new Error("the file ends within its header");
  }
  const json: unknown = JSON.parse(new TextDecoder().decode(start.subarray(8, dataBegin)));
  if (!isRecord(json)) {
    throw new Error("the header is not a JSON object");
  }
  const tensors = new Map<string, TensorLocation>();
  for (const [name, entry] of Object.entries(json)) {
    if (name !== "__metadata__") {
      const location = tensorLocation(name, entry, dataBegin, fileBytes);
      if (location) tensors.set(name, location);
    }
  }
  const metadata: Record<string, string> = {};
  if (isRecord(json.__metadata__)) {
    for (const [key, value] of Object.entries(json.__metadata__)) {
      metadata[key] = String(value);
    }
  }
  return { metadata, tensors };
}

/** Views bytes as the values of a tensor; copies them only if they are not aligned. */
export function asNumbers(location: TensorLocation, bytes: Uint8Array): Numbers {
  const aligned = bytes.byteOffset % ITEM_BYTES === 0 ? bytes : bytes.slice();
  const count = aligned.byteLength / ITEM_BYTES;
  const buffer = aligned.buffer as ArrayBuffer;
  return location.dtype === "F32"
    ? new Float32Array(buffer, aligned.byteOffset, count)
    : new Uint32Array(buffer, aligned.byteOffset, count);
}

function tensorLocation(name: string, entry: unknown, dataBegin: number, fileBytes: number): TensorLocation | null {
  const fail = (reason: string) => new Error(`tensor \`${name}\` ${reason}`);
  if (!isRecord(entry)) throw fail("is not described by a JSON object");
  const { dtype, shape, data_offsets: offsets } = entry;
  if (dtype !== "F32" && dtype !== "U32") return null;
  if (!isCounts(shape)) throw fail("has no valid `shape`");
  if (!isCounts(offsets) || offsets.length !== 2) throw fail("has no valid `data_offsets`");
  const [begin, end] = offsets.map((offset) => dataBegin + offset) as [number, number];
  const bytes = shape.reduce((product, extent) => product * extent, ITEM_BYTES);
  if (end - begin !== bytes) throw fail(`has shape [${shape}], which does not match its ${end - begin} bytes`);
  if (end > fileBytes) throw fail(`ends at byte ${end}, but the file has only ${fileBytes} bytes`);
  return { dtype, shape, begin, end };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}
