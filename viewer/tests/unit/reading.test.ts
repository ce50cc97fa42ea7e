import assert from "node:assert/strict";
import { test } from "node:test";
import { Frame } from "../../src/data/frame";
import { FrameCache } from "../../src/data/frame_cache";
import { isReplaced } from "../../src/data/server";
import { Topology } from "../../src/data/topology";
import { Latest } from "../../src/latest";
import { Playback } from "../../src/playback";
import { Wishes } from "../../src/wishes";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Hands out frames when it is told to. */
class SlowReader {
  readonly asked: number[] = [];
  private readonly answers = new Map<number, (frame: Frame | Error) => void>();

  constructor(private readonly make: (number: number) => Frame) {}

  async read(number: number): Promise<Frame> {
    this.asked.push(number);
    const answer = await new Promise<Frame | Error>((resolve) => this.answers.set(number, resolve));
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async readMore(frame: Frame, names: readonly string[]): Promise<void> {
    for (const name of names) frame.tensors.set(name, new Float32Array(1));
  }

  async answer(number: number, error?: Error): Promise<void> {
    this.answers.get(number)!(error ?? this.make(number));
    await turn();
  }
}

const shared = new Topology(0, new Uint32Array(0), new Uint32Array(0), new Uint32Array(0));

function frame(number: number, length = 1, topology = shared): Frame {
  const place = { dtype: "F32" as const, shape: [1], begin: 0, end: 4 };
  const made = new Frame(number, { metadata: {}, tensors: new Map([["velocities", place]]) });
  made.tensors.set("points", new Float32Array(length));
  made.topology = topology;
  return made;
}

test("of many wishes the first and the last are worked on, one at a time", async () => {
  const begun: number[] = [];
  let finish = () => {};
  const latest = new Latest<number>((wish) => {
    begun.push(wish);
    return new Promise((resolve) => (finish = resolve));
  });
  for (let wish = 0; wish < 100; wish++) latest.ask(wish);
  assert.deepEqual(begun, [0]);
  finish();
  await turn();
  assert.deepEqual(begun, [0, 99]);
  latest.ask(7);
  latest.cancel();
  finish();
  await turn();
  latest.ask(8);
  assert.deepEqual(begun, [0, 99, 8]);
});

test("a frame that cannot be read does not stop the play, a server that is silent does", async () => {
  const reader = new SlowReader(frame);
  const cache = new FrameCache(reader, 1e6);
  const playback = new Playback();
  playback.count = 4;
  playback.framesPerSecond = 10;
  playback.toggle();
  const ready = (place: number) => (cache.get(place) ?? cache.failure(place)) !== undefined;
  cache.prefetch([1, 2, 3]);
  await reader.answer(1, new Error("the file ends before its header"));
  await reader.answer(2, new TypeError("Failed to fetch"));
  assert.equal(playback.advance(0.1, ready), true);
  assert.equal(playback.place, 1);
  assert.equal(playback.advance(0.1, ready), false);
  cache.prefetch([1, 2]);
  assert.deepEqual(reader.asked, [1, 2, 3]);
  cache.forgetSilence();
  cache.prefetch([1, 2]);
  assert.deepEqual(reader.asked, [1, 2, 3, 2]);
  await reader.answer(2);
  assert.equal(playback.advance(0.1, ready), true);
  assert.equal(playback.place, 2);
});

test("a frame has what is wanted when it comes, not what was wanted when it was asked for", async () => {
  const reader = new SlowReader(frame);
  const cache = new FrameCache(reader, 1e6);
  const loaded = cache.load(0);
  cache.setExtra(["velocities"]);
  await reader.answer(0);
  assert.ok((await loaded).tensors.has("velocities"));
});

test("memory is kept to, with the elements that frames do not share, and large frames are still read ahead", async () => {
  const own = (number: number) => frame(number, 25, new Topology(0, new Uint32Array(75), new Uint32Array(0), new Uint32Array(0)));
  const reader = new SlowReader(own);
  const cache = new FrameCache(reader, 1000);
  for (let number = 0; number < 5; number++) {
    void cache.load(number);
    await reader.answer(number);
    assert.ok(cache.bytes <= 1000);
  }
  assert.deepEqual([...cache.numbers], [3, 4]);
  const huge = new SlowReader((number) => frame(number, 10_000));
  const small = new FrameCache(huge, 1000);
  void small.load(0);
  await huge.answer(0);
  small.prefetch([1, 2, 3]);
  assert.deepEqual(huge.asked, [0, 1]);
  await huge.answer(1);
  assert.ok(small.get(1));
});

test("scrubbing reads one frame at a time, each is seen, and none comes after a later one", async () => {
  const reader = new SlowReader(frame);
  const cache = new FrameCache(reader, 1e6);
  const seen: (number | string)[] = [];
  const wishes = new Wishes(cache, {
    isPrepared: () => true,
    prepare: async () => {},
    draw: ({ number }) => void seen.push(number),
    tell: (note) => void (note && seen.push(note)),
  });
  for (let number = 0; number < 50; number++) wishes.see(number, false);
  await reader.answer(0);
  assert.deepEqual([reader.asked, seen, wishes.isLoading], [[0, 49], [0], true]);
  // Back to a frame in memory, before the other has come.
  wishes.see(0, false);
  await reader.answer(49);
  assert.deepEqual([seen, wishes.isLoading], [[0, 0], false]);
  // A frame that cannot be read is told of, again without delay when it plays, and does not hold up the next wish.
  wishes.see(7, false);
  wishes.see(8, false);
  await reader.answer(7, new Error("broken"));
  wishes.see(7, true);
  await reader.answer(8);
  const note = "Frame 7 cannot be shown: broken";
  assert.deepEqual([seen, wishes.isCutOff], [[0, 0, note, note], false]);
});

test("another run in the folder is noticed", () => {
  const list = (count: number, run?: string) => ({ status: "running" as const, frames: Array.from({ length: count }, (_, k) => k), run });
  assert.equal(isReplaced(list(3, "a"), list(4, "a")), false);
  assert.equal(isReplaced(list(3, "a"), list(9, "b")), true);
  assert.equal(isReplaced(list(3), list(3, "b")), false);
  assert.equal(isReplaced(list(3), list(0)), true);
});
