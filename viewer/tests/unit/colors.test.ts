import assert from "node:assert/strict";
import { test } from "node:test";
import { categorical, css, diverging, mapBytes, oklch, sequential, toDisplay, type Rgb } from "../../src/data/color_maps";
import { colorValues, NO_VALUE, rangeOf } from "../../src/data/color_values";
import { Frame } from "../../src/data/frame";
import { parseHeader } from "../../src/data/safetensors";
import { Topology } from "../../src/data/topology";
import { tensorBytes } from "../unit/tensor_bytes";

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

test("the lightness of the sequential map increases monotonically", () => {
  for (let k = 1; k <= 255; k++) {
    assert.ok(luminance(sequential(k / 255)) > luminance(sequential((k - 1) / 255)), `at ${k}`);
  }
});

test("the diverging map is light in the middle and equally dark at both ends", () => {
  assert.ok(luminance(diverging(0.5)) > 0.7);
  const [left, right] = [diverging(0), diverging(1)];
  assert.ok(left[2] > left[0] && right[0] > right[2]);
  assert.ok(Math.abs(Math.cbrt(luminance(left)) - Math.cbrt(luminance(right))) < 0.1);
});

test("all colors are in the sRGB gamut", () => {
  for (let k = 0; k < 256; k++) {
    for (const rgb of [sequential(k / 255), diverging(k / 255), categorical(k)]) {
      assert.ok(rgb.every((value) => value >= 0 && value <= 1));
    }
  }
  assert.equal(css(oklch(1, 0, 0)), "rgb(255 255 255)");
  assert.equal(Math.round(1000 * toDisplay(0.5)), 735);
  assert.equal(mapBytes(sequential).length, 1024);
});

function frame(tensors: Record<string, Float32Array>): Frame {
  const bytes = tensorBytes(tensors);
  const testFrame = new Frame(0, parseHeader(bytes, bytes.length));
  for (const [name, values] of Object.entries(tensors)) testFrame.tensors.set(name, values);
  testFrame.topology = new Topology(2, new Uint32Array(2), new Uint32Array(0), new Uint32Array(0));
  return testFrame;
}

test("points are colored by speed, velocity component or attribute", () => {
  const testFrame = frame({ velocities: Float32Array.of(3, 4, 0, 0, 0, -2), "attributes.heat": Float32Array.of(NaN, 7) });
  const values = new Float32Array(2);
  const by = (key: string) => {
    colorValues(key, testFrame, new Float32Array(6), values);
    return [...values];
  };
  assert.deepEqual(by("speed"), [5, 2]);
  assert.deepEqual(by("velocity.z"), [0, -2]);
  assert.deepEqual(by("attribute.heat"), [Math.fround(NO_VALUE), 7]);
  assert.deepEqual(rangeOf(values), [7, 7]);
  assert.deepEqual(by("attribute.absent"), [Math.fround(NO_VALUE), Math.fround(NO_VALUE)]);
  assert.equal(rangeOf(Float32Array.of(NO_VALUE)), null);
});
