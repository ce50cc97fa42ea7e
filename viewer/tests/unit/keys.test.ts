import assert from "node:assert/strict";
import { test } from "node:test";
import { isControlKey } from "../../src/panel/keys";

const control = (name: string) => ({ matches: (selector: string) => selector.split(", ").includes(name) });

test("a focused control handles its own keys and no others", () => {
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
  for (const [name, key, isHandled] of table) assert.equal(isControlKey(control(name), key), isHandled, `${name} ${key}`);
});
