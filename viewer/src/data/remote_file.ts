// Reads a tensor file from the server: first the header, then only the requested tensors.

import { RangeReader } from "./range_reader";
import { asNumbers, headerEnd, parseHeader, type Header, type Numbers, type TensorLocation } from "./safetensors";

/** Length of the first read of a file, so that small files need only one request [bytes]. */
const INITIAL_READ = 128 * 1024;

/** Tensors with at most this gap between them may be read in one request [bytes]. */
const MAX_GAP = 64 * 1024;

/** Maximum length of a request for several tensors [bytes]; each of these tensors is then copied to its own buffer. */
const MAX_COMBINED_READ = 1024 * 1024;

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
    let { bytes, total } = await reader.read(address, 0, INITIAL_READ);
    const end = headerEnd(bytes);
    if (end > bytes.byteLength && bytes.byteLength < total) {
      ({ bytes, total } = await reader.read(address, 0, end));
    }
    return new RemoteFile(address, parseHeader(bytes, total), bytes);
  }

  /** Reads the named tensors, except those that the file lacks. Each tensor has its own buffer, so that it can be freed separately. */
  async read(names: readonly string[]): Promise<Map<string, Numbers>> {
    const { start } = this;
    this.start = new Uint8Array(0);
    const found = new Map<string, Numbers>();
    const missing: [string, TensorLocation][] = [];
    for (const name of names) {
      const location = this.header.tensors.get(name);
      if (location && location.end <= start.byteLength) {
        found.set(name, asNumbers(location, start.slice(location.begin, location.end)));
      } else if (location && location.begin === location.end) {
        found.set(name, asNumbers(location, new Uint8Array(0)));
      } else if (location) {
        missing.push([name, location]);
      }
    }
    const reads = groupReads(missing).map(async (group) => {
      const begin = group[0][1].begin;
      const end = group[group.length - 1][1].end;
      const { bytes } = await reader.read(this.address, begin, end);
      if (bytes.byteLength < end - begin) {
        throw new Error("the file was truncated while it was read");
      }
      for (const [name, location] of group) {
        const isAlone = bytes.byteLength === location.end - location.begin;
        const own = isAlone ? bytes : bytes.slice(location.begin - begin, location.end - begin);
        found.set(name, asNumbers(location, own));
      }
    });
    await Promise.all(reads);
    return found;
  }
}

/** Sorts tensors by file position and groups small tensors that are close to each other. */
export function groupReads(tensors: readonly [string, TensorLocation][]): [string, TensorLocation][][] {
  const sorted = [...tensors].sort((a, b) => a[1].begin - b[1].begin);
  const result: [string, TensorLocation][][] = [];
  let begin = 0;
  let end = -Infinity;
  for (const tensor of sorted) {
    if (tensor[1].begin - end <= MAX_GAP && tensor[1].end - begin <= MAX_COMBINED_READ) {
      result[result.length - 1].push(tensor);
    } else {
      result.push([tensor]);
      begin = tensor[1].begin;
    }
    end = Math.max(end, tensor[1].end);
  }
  return result;
}
