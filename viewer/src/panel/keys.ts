// Keyboard shortcuts, and the dialog that lists them.

import { SPEEDS } from "../playback";
import type { Viewer } from "../viewer";
import { h } from "./dom";

/** A shortcut: its keys, their label and description in the help, and the action. */
interface Shortcut {
  readonly keys: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly act: (event: KeyboardEvent) => void;
}

/** Keys that controls handle themselves, as prefixes of the key's name. */
const CONTROL_KEYS = [
  ["button, summary", [" "]],
  ["select", [" ", "Arrow", "Home", "End"]],
  ["input[type=range]", ["Arrow", "Home", "End"]],
] as const;

/** Whether the focused control handles a key itself. */
export function isControlKey(target: Pick<Element, "matches">, key: string): boolean {
  return CONTROL_KEYS.some(([control, keys]) => target.matches(control) && keys.some((prefix) => key.startsWith(prefix)));
}

/** Installs the keyboard shortcuts. Returns a function that toggles the help dialog. */
export function listen(viewer: Viewer, help: HTMLDialogElement): () => void {
  const { playback } = viewer;
  const changeSpeed = (steps: number) => {
    const current = SPEEDS.findIndex((speed) => speed === playback.speed);
    playback.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, current + steps))];
    viewer.onChange();
  };
  const toggleHelp = () => (help.open ? help.close() : help.showModal());
  const shortcuts: Shortcut[] = [
    { keys: [" "], label: "space", description: "play or pause", act: () => viewer.togglePlay() },
    { keys: ["ArrowRight"], label: "→", description: "next frame (⇧: 10 frames forward)", act: ({ shiftKey }) => viewer.step(shiftKey ? 10 : 1) },
    { keys: ["ArrowLeft"], label: "←", description: "previous frame (⇧: 10 frames back)", act: ({ shiftKey }) => viewer.step(shiftKey ? -10 : -1) },
    { keys: ["Home"], label: "home", description: "first frame", act: () => viewer.step(-Infinity) },
    { keys: ["End"], label: "end", description: "last frame", act: () => viewer.step(Infinity) },
    { keys: ["]"], label: "]", description: "play faster", act: () => changeSpeed(1) },
    { keys: ["["], label: "[", description: "play slower", act: () => changeSpeed(-1) },
    { keys: ["l"], label: "L", description: "loop on or off", act: () => { playback.loops = !playback.loops; viewer.onChange(); } },
    { keys: ["n"], label: "N", description: "follow the newest frame", act: () => viewer.toggleFollow() },
    { keys: ["f"], label: "F", description: "zoom to fit", act: () => viewer.fit() },
    { keys: ["r"], label: "R", description: "reset the camera", act: () => viewer.resetCamera() },
    { keys: ["c"], label: "C", description: "next color value", act: () => viewer.nextColor() },
    { keys: ["p"], label: "P", description: "spheres or dots", act: () => viewer.setSpheres(!viewer.hasSpheres) },
    { keys: ["s"], label: "S", description: "shadows on or off", act: () => viewer.setShadows(!viewer.stage.hasShadows) },
    { keys: ["b"], label: "B", description: "light or dark background", act: () => viewer.setTheme(viewer.theme === "light" ? "dark" : "light") },
    { keys: ["v"], label: "V", description: "hide or show the panels", act: () => document.body.classList.toggle("is-bare") },
    { keys: [..."123456789"], label: "1–9", description: "show or hide an object", act: ({ key }) => toggleObject(viewer, Number(key) - 1) },
    { keys: ["?", "h"], label: "?", description: "show this help", act: toggleHelp },
  ];
  const mouse: [string, string][] = [
    ["drag", "orbit"],
    ["right drag", "pan"],
    ["wheel", "zoom"],
  ];
  const entries = [...shortcuts.map(({ label, description }): [string, string] => [label, description]), ...mouse];
  help.append(
    h("h2", {}, "Keyboard and mouse"),
    h("dl", {}, ...entries.flatMap(([key, description]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, description)])),
  );
  help.addEventListener("click", () => help.close());
  // A click also moves the focus, but after a click on a button the space bar should still control playback.
  let isFocusFromPointer = false;
  document.addEventListener("pointerdown", () => (isFocusFromPointer = true), { capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") isFocusFromPointer = false;
    const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "range";
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key));
    if (!shortcut || (!isFocusFromPointer && event.target instanceof Element && isControlKey(event.target, key))) return;
    event.preventDefault();
    shortcut.act(event);
  });
  return toggleHelp;
}

function toggleObject(viewer: Viewer, object: number): void {
  if (object < viewer.objectIsVisible.length) viewer.setObjectVisible(object, !viewer.objectIsVisible[object]);
}
