// The header of a safetensors file: 8 bytes of length, then JSON that says where each tensor lies.

/** The arrays that frames are made of. */
export type Numbers = Float32Array | Uint32Array;

/** Where a tensor lies in its file. */
export interface TensorPlace {
  readonly dtype: "F32" | "U32";
  readonly shape: readonly number[];
  /** First byte, counted from the start of the file. */
  readonly begin: number;
  /** One past the last byte. */
  readonly end: number;
}

/** What the header of a file says. */
export interface Header {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, TensorPlace>;
}

/** Headers longer than this are refused [bytes]. */
export const LONGEST_HEADER = 16 * 1024 * 1024;

const ITEM_BYTES = 4;

/** Length of the whole header with its own length in front [bytes], from the first 8 bytes of a file. */
export function headerEnd(start: Uint8Array): number {
  if (start.byteLength < 8) {
    throw new Error("the file ends before its header");
  }
  const view = new DataView(start.buffer, start.byteOffset, 8);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length > LONGEST_HEADER) {
    throw new Error(`the header claims ${length} bytes, more than ${LONGEST_HEADER}: this is not a frame file`);
  }
  return 8 + length;
}

/** Reads a header from the start of a file that is `fileBytes` long. Tensors of other types are left out. */
export function parseHeader(start: Uint8Array, fileBytes: number): Header {
  const dataBegin = headerEnd(start);
  if (start.byteLength < dataBegin || fileBytes < dataBegin) {
    throw new Error("the file ends within its header");
  }
  const json: unknown = JSON.parse(new TextDecoder().decode(start.subarray(8, dataBegin)));
  if (!isRecord(json)) {
    throw new Error("the header is not a JSON object");
  }
  const tensors = new Map<string, TensorPlace>();
  for (const [name, entry] of Object.entries(json)) {
    if (name !== "__metadata__") {
      const place = tensorPlace(name, entry, dataBegin, fileBytes);
      if (place) tensors.set(name, place);
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

/** Views bytes as the numbers of a tensor; copies only when they are not aligned. */
export function asNumbers(place: TensorPlace, bytes: Uint8Array): Numbers {
  const whole = bytes.byteOffset % ITEM_BYTES === 0 ? bytes : bytes.slice();
  const count = whole.byteLength / ITEM_BYTES;
  const buffer = whole.buffer as ArrayBuffer;
  return place.dtype === "F32"
    ? new Float32Array(buffer, whole.byteOffset, count)
    : new Uint32Array(buffer, whole.byteOffset, count);
}

function tensorPlace(name: string, entry: unknown, dataBegin: number, fileBytes: number): TensorPlace | null {
  const fail = (reason: string) => new Error(`tensor \`${name}\` ${reason}`);
  if (!isRecord(entry)) throw fail("is not described by a JSON object");
  const { dtype, shape, data_offsets: offsets } = entry;
  if (dtype !== "F32" && dtype !== "U32") return null;
  if (!isCounts(shape)) throw fail("has no shape");
  if (!isCounts(offsets) || offsets.length !== 2) throw fail("has no place in the file");
  const [begin, end] = offsets.map((offset) => dataBegin + offset) as [number, number];
  const bytes = shape.reduce((product, extent) => product * extent, ITEM_BYTES);
  if (end - begin !== bytes) throw fail(`of shape [${shape}] does not fill ${end - begin} bytes`);
  if (end > fileBytes) throw fail(`ends at byte ${end} of a file with ${fileBytes}`);
  return { dtype, shape, begin, end };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}
