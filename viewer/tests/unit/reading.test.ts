import assert from "node:assert/strict";
import { test } from "node:test";
import { Frame } from "../../src/data/frame";
import { FrameCache } from "../../src/data/frame_cache";
import { isOtherRun } from "../../src/data/server";
import { Topology } from "../../src/data/topology";
import { LatestTask } from "../../src/latest_task";
import { Playback } from "../../src/playback";
import { FrameRequests } from "../../src/frame_requests";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A frame reader that completes reads on demand. */
class SlowReader {
  readonly requested: number[] = [];
  private readonly pending = new Map<number, (frame: Frame | Error) => void>();

  constructor(private readonly createFrame: (number: number) => Frame) {}

  async read(number: number): Promise<Frame> {
    this.requested.push(number);
    const result = await new Promise<Frame | Error>((resolve) => this.pending.set(number, resolve));
    if (result instanceof Error) throw result;
    return result;
  }

  async readMore(frame: Frame, names: readonly string[]): Promise<void> {
    for (const name of names) frame.tensors.set(name, new Float32Array(1));
  }

  async complete(number: number, error?: Error): Promise<void> {
    this.pending.get(number)!(error ?? this.createFrame(number));
    await nextTurn();
  }
}

const shared = new Topology(0, new Uint32Array(0), new Uint32Array(0), new Uint32Array(0));

function frame(number: number, length = 1, topology = shared): Frame {
  const location = { dtype: "F32" as const, shape: [1], begin: 0, end: 4 };
  const testFrame = new Frame(number, { metadata: {}, tensors: new Map([["velocities", location]]) });
  testFrame.tensors.set("points", new Float32Array(length));
  testFrame.topology = topology;
  return testFrame;
}

test("of many requests the first and the last are processed, one at a time", async () => {
  const started: number[] = [];
  let finish = () => {};
  const latest = new LatestTask<number>((request) => {
    started.push(request);
    return new Promise((resolve) => (finish = resolve));
  });
  for (let request = 0; request < 100; request++) latest.submit(request);
  assert.deepEqual(started, [0]);
  finish();
  await nextTurn();
  assert.deepEqual(started, [0, 99]);
  latest.submit(7);
  latest.cancel();
  finish();
  await nextTurn();
  latest.submit(8);
  assert.deepEqual(started, [0, 99, 8]);
});

test("an unreadable frame does not stop playback, but an unreachable server does", async () => {
  const reader = new SlowReader(frame);
  const cache = new FrameCache(reader, 1e6);
  const playback = new Playback();
  playback.count = 4;
  playback.framesPerSecond = 10;
  playback.toggle();
  const ready = (place: number) => (cache.get(place) ?? cache.failure(place)) !== undefined;
  cache.prefetch([1, 2, 3]);
  await reader.complete(1, new Error("the file ends before its header"));
  await reader.complete(2, new TypeError("Failed to fetch"));
  assert.equal(playback.advance(0.1, ready), true);
  assert.equal(playback.index, 1);
  assert.equal(playback.advance(0.1, ready), false);
  cache.prefetch([1, 2]);
  assert.deepEqual(reader.requested, [1, 2, 3]);
  cache.forgetConnectionErrors();
  cache.prefetch([1, 2]);
  assert.deepEqual(reader.requested, [1, 2, 3, 2]);
  await reader.complete(2);
  assert.equal(playback.advance(0.1, ready), true);
  assert.equal(playback.index, 2);
});

test("a loaded frame has the tensors required at completion, not those at the request", async () => {
  const reader = new SlowReader(frame);
  const cache = new FrameCache(reader, 1e6);
  const loaded = cache.load(0);
  cache.setExtra(["velocities"]);
  await reader.complete(0);
  assert.ok((await loaded).tensors.has("velocities"));
});

test("the cache obeys its memory limit including unshared topologies, and still prefetches large frames", async () => {
  const own = (number: number) => frame(number, 25, new Topology(0, new Uint32Array(75), new Uint32Array(0), new Uint32Array(0)));
  const reader = new SlowReader(own);
  const cache = new FrameCache(reader, 1000);
  for (let number = 0; number < 5; number++) {
    void cache.load(number);
    await reader.complete(number);
    assert.ok(cache.bytes <= 1000);
  }
  assert.deepEqual([...cache.numbers], [3, 4]);
  const huge = new SlowReader((number) => frame(number, 10_000));
  const small = new FrameCache(huge, 1000);
  void small.load(0);
  await huge.complete(0);
  small.prefetch([1, 2, 3]);
  assert.deepEqual(huge.requested, [0, 1]);
  await huge.complete(1);
  assert.ok(small.get(1));
});

test("scrubbing reads one frame at a time, shows each one read, and never goes back to an older request", async () => {
  const reader = new SlowReader(frame);
  const cache = new FrameCache(reader, 1e6);
  const shown: (number | string)[] = [];
  const requests = new FrameRequests(cache, {
    isPrepared: () => true,
    prepare: async () => {},
    draw: ({ number }) => void shown.push(number),
    setNote: (note) => void (note && shown.push(note)),
  });
  for (let number = 0; number < 50; number++) requests.request(number, false);
  await reader.complete(0);
  assert.deepEqual([reader.requested, shown, requests.isLoading], [[0, 49], [0], true]);
  // Go back to a cached frame before the other one has been read.
  requests.request(0, false);
  await reader.complete(49);
  assert.deepEqual([shown, requests.isLoading], [[0, 0], false]);
  // An unreadable frame is reported, immediately if it fails again during playback, and does not block the next request.
  requests.request(7, false);
  requests.request(8, false);
  await reader.complete(7, new Error("broken"));
  requests.request(7, true);
  await reader.complete(8);
  const note = "Cannot show frame 7: broken";
  assert.deepEqual([shown, requests.isDisconnected], [[0, 0, note, note], false]);
});

test("a new run in the same folder is detected", () => {
  const list = (count: number, run?: string) => ({ status: "running" as const, frames: Array.from({ length: count }, (_, k) => k), run });
  assert.equal(isOtherRun(list(3, "a"), list(4, "a")), false);
  assert.equal(isOtherRun(list(3, "a"), list(9, "b")), true);
  assert.equal(isOtherRun(list(3), list(3, "b")), false);
  assert.equal(isOtherRun(list(3), list(0)), true);
});
