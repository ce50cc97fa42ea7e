import assert from "node:assert/strict";
import { test } from "node:test";
import { groupReads } from "../../src/data/remote_file";
import { asNumbers, headerEnd, parseHeader, type TensorLocation } from "../../src/data/safetensors";
import { tensorBytes } from "./tensor_bytes";

test("the header gives the location of each tensor", () => {
  const bytes = tensorBytes({ a: Float32Array.of(1, 2.5), b: Uint32Array.of(7) }, { time: "0.5" });
  const header = parseHeader(bytes, bytes.length);
  assert.equal(header.metadata.time, "0.5");
  const read = (name: string) => {
    const location = header.tensors.get(name)!;
    return [...asNumbers(location, bytes.subarray(location.begin, location.end))];
  };
  assert.deepEqual(read("a"), [1, 2.5]);
  assert.deepEqual(read("b"), [7]);
});

test("malformed headers are rejected", () => {
  const whole = tensorBytes({ a: Float32Array.of(1, 2) });
  const text = (json: string) => {
    const bytes = new Uint8Array(8 + json.length);
    new DataView(bytes.buffer).setUint32(0, json.length, true);
    bytes.set(new TextEncoder().encode(json), 8);
    return bytes;
  };
  const table: [string, Uint8Array, RegExp][] = [
    ["nothing", new Uint8Array(3), /ends before its header/],
    ["too long", Uint8Array.of(255, 255, 255, 255, 1, 0, 0, 0), /not a frame file/],
    ["cut", whole.subarray(0, 20), /within its header/],
    ["beyond the end", whole.subarray(0, whole.length - 1), /ends at byte/],
    ["no JSON", text("{nonsense"), /JSON/],
    ["a list", text("[]"), /not a JSON object/],
    ["no shape", text('{"a":{"dtype":"F32","data_offsets":[0,4]}}'), /no valid `shape`/],
    ["negative", text('{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}'), /no valid `shape`/],
    ["wrong size", text('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}'), /does not match/],
  ];
  for (const [name, bytes, reason] of table) {
    assert.throws(() => parseHeader(bytes, bytes.length), reason, name);
  }
});

test("mutated files are either read or rejected with an error", () => {
  const whole = tensorBytes({ points: new Float32Array(6), object: new Uint32Array(2) }, { time: "1" });
  let seed = 1;
  const random = (below: number) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % below;
  for (let round = 0; round < 20_000; round++) {
    const bytes = whole.slice();
    for (let change = 0; change < 3; change++) bytes[random(bytes.length)] = random(256);
    try {
      for (const { begin, end } of parseHeader(bytes, bytes.length).tensors.values()) {
        assert.ok(begin >= 8 && begin <= end && end <= bytes.length);
      }
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
  assert.equal(headerEnd(whole) % 1, 0);
});

test("unaligned values are copied", () => {
  const location: TensorLocation = { dtype: "F32", shape: [1], begin: 0, end: 4 };
  const bytes = new Uint8Array(5);
  new DataView(bytes.buffer).setFloat32(1, 1.5, true);
  assert.deepEqual([...asNumbers(location, bytes.subarray(1))], [1.5]);
});

test("small adjacent tensors are read together", () => {
  const location = (begin: number, end: number): TensorLocation => ({ dtype: "F32", shape: [(end - begin) / 4], begin, end });
  const far = 10_000_000;
  const groups = groupReads([["c", location(far, far + 4)], ["a", location(0, 8)], ["b", location(100, 104)]]);
  assert.deepEqual(groups.map((group) => group.map(([name]) => name)), [["a", "b"], ["c"]]);
  const large = groupReads([["a", location(0, 8)], ["b", location(8, far)], ["c", location(far, far + 4)]]);
  assert.deepEqual(large.map((group) => group.map(([name]) => name)), [["a"], ["b"], ["c"]]);
});
