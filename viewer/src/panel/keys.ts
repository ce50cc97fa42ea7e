// Keyboard shortcuts, and the page that lists them.

import { SPEEDS } from "../playback";
import type { Viewer } from "../viewer";
import { h } from "./dom";

/** A shortcut: how the key is called, what it does in words, and doing it. */
interface Shortcut {
  readonly keys: readonly string[];
  readonly shown: string;
  readonly words: string;
  readonly act: (event: KeyboardEvent) => void;
}

/** Keys that controls use themselves, by the start of their name. */
const OWN_KEYS = [
  ["button, summary", [" "]],
  ["select", [" ", "Arrow", "Home", "End"]],
  ["input[type=range]", ["Arrow", "Home", "End"]],
] as const;

/** Whether a key belongs to the control that has the focus. */
export function isOwnKey(target: Pick<Element, "matches">, key: string): boolean {
  return OWN_KEYS.some(([control, keys]) => target.matches(control) && keys.some((own) => key.startsWith(own)));
}

/** Listens to the keyboard; gives the function that shows the help. */
export function listen(viewer: Viewer, help: HTMLDialogElement): () => void {
  const { playback } = viewer;
  const faster = (by: number) => {
    const at = SPEEDS.findIndex((speed) => speed === playback.speed);
    playback.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
    viewer.onChange();
  };
  const toggleHelp = () => (help.open ? help.close() : help.showModal());
  const shortcuts: Shortcut[] = [
    { keys: [" "], shown: "space", words: "play or pause", act: () => viewer.togglePlay() },
    { keys: ["ArrowRight"], shown: "→", words: "one frame on (⇧: ten)", act: ({ shiftKey }) => viewer.step(shiftKey ? 10 : 1) },
    { keys: ["ArrowLeft"], shown: "←", words: "one frame back (⇧: ten)", act: ({ shiftKey }) => viewer.step(shiftKey ? -10 : -1) },
    { keys: ["Home"], shown: "home", words: "first frame", act: () => viewer.step(-Infinity) },
    { keys: ["End"], shown: "end", words: "last frame", act: () => viewer.step(Infinity) },
    { keys: ["]"], shown: "]", words: "faster", act: () => faster(1) },
    { keys: ["["], shown: "[", words: "slower", act: () => faster(-1) },
    { keys: ["l"], shown: "L", words: "loop", act: () => { playback.loops = !playback.loops; viewer.onChange(); } },
    { keys: ["n"], shown: "N", words: "follow the newest frame", act: () => viewer.toggleFollow() },
    { keys: ["f"], shown: "F", words: "fit all into view", act: () => viewer.fit() },
    { keys: ["r"], shown: "R", words: "first view", act: () => viewer.resetCamera() },
    { keys: ["c"], shown: "C", words: "next coloring", act: () => viewer.nextColor() },
    { keys: ["p"], shown: "P", words: "spheres or dots", act: () => viewer.setBalls(!viewer.hasBalls) },
    { keys: ["s"], shown: "S", words: "shadows", act: () => viewer.setShadows(!viewer.stage.hasShadows) },
    { keys: ["b"], shown: "B", words: "light or dark", act: () => viewer.setTheme(viewer.theme === "light" ? "dark" : "light") },
    { keys: ["v"], shown: "V", words: "picture alone", act: () => document.body.classList.toggle("is-bare") },
    { keys: [..."123456789"], shown: "1–9", words: "show or hide an object", act: ({ key }) => toggleObject(viewer, Number(key) - 1) },
    { keys: ["?", "h"], shown: "?", words: "this help", act: toggleHelp },
  ];
  const mouse: [string, string][] = [
    ["drag", "turn the view"],
    ["right drag", "move the view"],
    ["wheel", "nearer or farther"],
  ];
  const entries = [...shortcuts.map(({ shown, words }): [string, string] => [shown, words]), ...mouse];
  help.append(
    h("h2", {}, "Keys and mouse"),
    h("dl", {}, ...entries.flatMap(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])),
  );
  help.addEventListener("click", () => help.close());
  // A click gives focus, too, but whoever clicks on a button wants the space bar to play afterwards.
  let isByPointer = false;
  document.addEventListener("pointerdown", () => (isByPointer = true), { capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") isByPointer = false;
    const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "range";
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key));
    if (!shortcut || (!isByPointer && event.target instanceof Element && isOwnKey(event.target, key))) return;
    event.preventDefault();
    shortcut.act(event);
  });
  return toggleHelp;
}

function toggleObject(viewer: Viewer, object: number): void {
  if (object < viewer.objectIsVisible.length) viewer.setObjectVisible(object, !viewer.objectIsVisible[object]);
}
