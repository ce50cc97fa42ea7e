import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameRateMonitor } from "../../src/frame_rate";
import { Playback } from "../../src/playback";

function playing(count: number): Playback {
  const playback = new Playback();
  playback.count = count;
  playback.framesPerSecond = 10;
  playback.toggle();
  return playback;
}

const always = () => true;

test("playback advances at the frame rate of the run times the speed", () => {
  const playback = playing(100);
  for (let k = 0; k < 60; k++) playback.advance(1 / 60, always);
  assert.ok(Math.abs(playback.index - 10) <= 1, String(playback.index));
  playback.speed = 4;
  const before = playback.index;
  for (let k = 0; k < 60; k++) playback.advance(1 / 60, always);
  assert.ok(Math.abs(playback.index - before - 40) <= 1);
});

test("playback loops, or stops at the end and restarts from the first frame", () => {
  const playback = playing(3);
  for (let k = 0; k < 4; k++) playback.advance(0.1001, always);
  assert.equal(playback.index, 1);
  playback.loops = false;
  for (let k = 0; k < 4; k++) playback.advance(0.1001, always);
  assert.deepEqual([playback.index, playback.isPlaying], [2, false]);
  playback.toggle();
  assert.deepEqual([playback.index, playback.isPlaying], [0, true]);
});

test("playback waits for a frame, or skips it if a later one is ready", () => {
  const playback = playing(10);
  for (let k = 0; k < 5; k++) assert.equal(playback.advance(0.1, () => false), false);
  assert.equal(playback.index, 0);
  playback.advance(0.2, (place) => place === 2);
  assert.equal(playback.index, 2);
});

test("upcoming indices are listed, and seeking stays within the list", () => {
  const playback = playing(3);
  assert.deepEqual(playback.next(5), [1, 2]);
  playback.seek(99);
  assert.equal(playback.index, 2);
  playback.seek(-Infinity);
  assert.equal(playback.index, 0);
  playback.seek(NaN);
  assert.equal(playback.index, 0);
  const single = playing(1);
  assert.equal(single.isPlaying, false);
});

test("only a sustained low frame rate counts as slow", () => {
  const frameRate = new FrameRateMonitor();
  for (let k = 0; k < 100; k++) frameRate.addInterval(k === 50 ? 5 : 1 / 60, true);
  assert.equal(frameRate.isSlow, false);
  for (let k = 0; k < 30; k++) frameRate.addInterval(1 / 15, true);
  assert.equal(frameRate.isSlow, true);
  frameRate.addInterval(1 / 60, false);
  assert.equal(frameRate.isSlow, false);
});
