import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnKey } from "../../src/panel/keys";

const control = (name: string) => ({ matches: (selector: string) => selector.split(", ").includes(name) });

test("controls keep the keys that they are used with, and no others", () => {
  const table: [string, string, boolean][] = [
    ["button", " ", true],
    ["summary", " ", true],
    ["button", "ArrowRight", false],
    ["select", "ArrowLeft", true],
    ["select", "End", true],
    ["input[type=range]", "Home", true],
    ["input[type=range]", " ", false],
    ["canvas", "ArrowRight", false],
    ["select", "f", false],
  ];
  for (const [name, key, isOwn] of table) assert.equal(isOwnKey(control(name), key), isOwn, `${name} ${key}`);
});
