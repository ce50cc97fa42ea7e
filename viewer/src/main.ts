// Entry point of the page: loads the scene description, builds the panels, and runs the animation loop.

import { getAppearance, type Appearance } from "./data/server";
import { RunPoller } from "./run_poller";
import { Display } from "./panel/display";
import { byId } from "./panel/dom";
import { Heading } from "./panel/heading";
import { listen } from "./panel/keys";
import { Legend } from "./panel/legend";
import { Messages } from "./panel/messages";
import { ObjectLists } from "./panel/objects";
import { Plots } from "./panel/plots";
import { RunInfo } from "./panel/run_info";
import { Transport } from "./panel/transport";
import { testHook } from "./test_hook";
import { Viewer } from "./viewer";

/** Delay before the next attempt to reach the server [ms]. */
const RETRY_DELAY = 2000;

/** Maximum number of screen pixels per CSS pixel [-]. A finer image costs time without a visible gain. */
const MAX_PIXEL_RATIO = 2;

async function start(): Promise<void> {
  const messages = new Messages(byId("messages"));
  const canvas = byId<HTMLCanvasElement>("view");
  const appearance = await waitForAppearance(messages);
  try {
    const viewer = open(() => new Viewer(appearance, canvas, messages), messages);
    if (viewer) run(viewer, canvas, messages);
  } catch (error) {
    messages.set("page", `Cannot show the run: ${error instanceof Error ? error.message : error}`);
  }
}

/** Loads the appearance of the scene; retries until the server responds. */
async function waitForAppearance(messages: Messages): Promise<Appearance> {
  for (;;) {
    try {
      const appearance = await getAppearance();
      messages.clear("server");
      return appearance;
    } catch (error) {
      messages.set("server", `No response from the server: ${error instanceof Error ? error.message : error}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    }
  }
}

/** Creates the viewer, or returns null with a message if the browser lacks WebGL 2. */
function open(create: () => Viewer, messages: Messages): Viewer | null {
  if (!document.createElement("canvas").getContext("webgl2")) {
    messages.set("webgl", "This browser cannot draw the run: WebGL 2 is missing, or hardware acceleration is disabled.");
    return null;
  }
  return create();
}

function run(viewer: Viewer, canvas: HTMLCanvasElement, messages: Messages): void {
  const side = byId("side");
  const showHelp = listen(viewer, byId<HTMLDialogElement>("help"));
  const panels = [
    new Heading(byId("head"), viewer),
    new Legend(byId("legend"), viewer),
    new Display(side, viewer),
    new ObjectLists(side, viewer),
    new Plots(side, viewer),
    new RunInfo(side, viewer),
    new Transport(byId("transport"), viewer, showHelp),
  ];
  let needsUpdate = true;
  viewer.onChange = () => (needsUpdate = true);
  const resize = () => {
    const ratio = Math.min(MAX_PIXEL_RATIO, window.devicePixelRatio || 1);
    viewer.stage.resize(canvas.clientWidth, canvas.clientHeight, ratio);
    needsUpdate = true;
  };
  new ResizeObserver(resize).observe(byId("stage"));
  resize();

  let before = performance.now();
  const tick = (now: number) => {
    viewer.tick((now - before) / 1000);
    before = now;
    if (needsUpdate) {
      needsUpdate = false;
      for (const panel of panels) panel.update();
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.fibra = testHook(viewer);

  const onDisconnect = () => messages.set("server", "No response from the server. Frames in memory are still available. Retrying…");
  void new RunPoller(viewer.appearance.run, (update) => viewer.applyUpdate(update), onDisconnect).start();
}

void start();
