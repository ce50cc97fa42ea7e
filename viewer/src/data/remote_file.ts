// Parts of a file on the server: the header first, then only the tensors that are asked for.

import { RangeReader } from "./range_reader";
import { asNumbers, headerEnd, parseHeader, type Header, type Numbers, type TensorPlace } from "./safetensors";

/** Read at once at the start of a file, so that small files take one request [bytes]. */
const FIRST_READ = 128 * 1024;

/** Tensors with no more than this between them are read in one request [bytes]. */
const GAP = 64 * 1024;

/** Most that is read in one request for more than one tensor [bytes]; such tensors are copied apart. */
const MOST_TOGETHER = 1024 * 1024;

const reader = new RangeReader();

/** A tensor file on the server whose header has been read. */
export class RemoteFile {
  private constructor(
    private readonly address: string,
    readonly header: Header,
    /** The start of the file, until the first tensors have been read. */
    private start: Uint8Array,
  ) {}

  /** Reads the header of the file at `address`. */
  static async open(address: string): Promise<RemoteFile> {
    let { bytes, total } = await reader.read(address, 0, FIRST_READ);
    const end = headerEnd(bytes);
    if (end > bytes.byteLength && bytes.byteLength < total) {
      ({ bytes, total } = await reader.read(address, 0, end));
    }
    return new RemoteFile(address, parseHeader(bytes, total), bytes);
  }

  /** Reads those of the named tensors that are there. Each has memory of its own, so that it can be given up alone. */
  async read(names: readonly string[]): Promise<Map<string, Numbers>> {
    const { start } = this;
    this.start = new Uint8Array(0);
    const found = new Map<string, Numbers>();
    const missing: [string, TensorPlace][] = [];
    for (const name of names) {
      const place = this.header.tensors.get(name);
      if (place && place.end <= start.byteLength) {
        found.set(name, asNumbers(place, start.slice(place.begin, place.end)));
      } else if (place && place.begin === place.end) {
        found.set(name, asNumbers(place, new Uint8Array(0)));
      } else if (place) {
        missing.push([name, place]);
      }
    }
    const reads = runs(missing).map(async (run) => {
      const begin = run[0][1].begin;
      const end = run[run.length - 1][1].end;
      const { bytes } = await reader.read(this.address, begin, end);
      if (bytes.byteLength < end - begin) {
        throw new Error("the file became shorter while it was read");
      }
      for (const [name, place] of run) {
        const isAlone = bytes.byteLength === place.end - place.begin;
        const own = isAlone ? bytes : bytes.slice(place.begin - begin, place.end - begin);
        found.set(name, asNumbers(place, own));
      }
    });
    await Promise.all(reads);
    return found;
  }
}

/** Tensors in the order of the file, small ones close to each other together. */
export function runs(tensors: readonly [string, TensorPlace][]): [string, TensorPlace][][] {
  const sorted = [...tensors].sort((a, b) => a[1].begin - b[1].begin);
  const result: [string, TensorPlace][][] = [];
  let begin = 0;
  let end = -Infinity;
  for (const tensor of sorted) {
    if (tensor[1].begin - end <= GAP && tensor[1].end - begin <= MOST_TOGETHER) {
      result[result.length - 1].push(tensor);
    } else {
      result.push([tensor]);
      begin = tensor[1].begin;
    }
    end = Math.max(end, tensor[1].end);
  }
  return result;
}
