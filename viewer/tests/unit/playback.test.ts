import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "../../src/pace";
import { Playback } from "../../src/playback";

function playing(count: number): Playback {
  const playback = new Playback();
  playback.count = count;
  playback.framesPerSecond = 10;
  playback.toggle();
  return playback;
}

const always = () => true;

test("frames come at the rate of the run, times the speed", () => {
  const playback = playing(100);
  for (let k = 0; k < 60; k++) playback.advance(1 / 60, always);
  assert.ok(Math.abs(playback.place - 10) <= 1, String(playback.place));
  playback.speed = 4;
  const before = playback.place;
  for (let k = 0; k < 60; k++) playback.advance(1 / 60, always);
  assert.ok(Math.abs(playback.place - before - 40) <= 1);
});

test("it goes around, or stops at the end and starts over", () => {
  const playback = playing(3);
  for (let k = 0; k < 4; k++) playback.advance(0.1001, always);
  assert.equal(playback.place, 1);
  playback.loops = false;
  for (let k = 0; k < 4; k++) playback.advance(0.1001, always);
  assert.deepEqual([playback.place, playback.isPlaying], [2, false]);
  playback.toggle();
  assert.deepEqual([playback.place, playback.isPlaying], [0, true]);
});

test("a frame that is late is waited for, or skipped when a later one is there", () => {
  const playback = playing(10);
  for (let k = 0; k < 5; k++) assert.equal(playback.advance(0.1, () => false), false);
  assert.equal(playback.place, 0);
  playback.advance(0.2, (place) => place === 2);
  assert.equal(playback.place, 2);
});

test("what comes next is known, and places stay within the list", () => {
  const playback = playing(3);
  assert.deepEqual(playback.next(5), [1, 2]);
  playback.seek(99);
  assert.equal(playback.place, 2);
  playback.seek(-Infinity);
  assert.equal(playback.place, 0);
  playback.seek(NaN);
  assert.equal(playback.place, 0);
  const single = playing(1);
  assert.equal(single.isPlaying, false);
});

test("only a machine that is slow for a while counts as slow", () => {
  const pace = new Pace();
  for (let k = 0; k < 100; k++) pace.note(k === 50 ? 5 : 1 / 60, true);
  assert.equal(pace.isSlow, false);
  for (let k = 0; k < 30; k++) pace.note(1 / 15, true);
  assert.equal(pace.isSlow, true);
  pace.note(1 / 60, false);
  assert.equal(pace.isSlow, false);
});
