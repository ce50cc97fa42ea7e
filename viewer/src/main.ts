// The page of `fibra view`: asks the server what there is, builds the panels, and lets time go by.

import { getAppearance, type Appearance } from "./data/server";
import { Follower } from "./follower";
import { Display } from "./panel/display";
import { byId } from "./panel/dom";
import { Heading } from "./panel/heading";
import { listen } from "./panel/keys";
import { Legend } from "./panel/legend";
import { Messages } from "./panel/messages";
import { ObjectLists } from "./panel/objects";
import { Plots } from "./panel/plots";
import { RunFacts } from "./panel/run_facts";
import { Transport } from "./panel/transport";
import { testHook } from "./test_hook";
import { Viewer } from "./viewer";

/** Time until the server is asked again when it did not answer [ms]. */
const RETRY = 2000;

/** Most screen pixels for a CSS pixel; more are not seen but have to be drawn [-]. */
const FINEST = 2;

async function start(): Promise<void> {
  const messages = new Messages(byId("messages"));
  const canvas = byId<HTMLCanvasElement>("view");
  const appearance = await appearanceSoon(messages);
  try {
    const viewer = open(() => new Viewer(appearance, canvas, messages), messages);
    if (viewer) run(viewer, canvas, messages);
  } catch (error) {
    messages.set("page", `The run cannot be shown: ${error instanceof Error ? error.message : error}`);
  }
}

/** What the server says about the looks, as soon as it answers. */
async function appearanceSoon(messages: Messages): Promise<Appearance> {
  for (;;) {
    try {
      const appearance = await getAppearance();
      messages.clear("server");
      return appearance;
    } catch (error) {
      messages.set("server", `The server does not answer: ${error instanceof Error ? error.message : error}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
}

/** Without WebGL 2 there is nothing to see. */
function open(make: () => Viewer, messages: Messages): Viewer | null {
  if (!document.createElement("canvas").getContext("webgl2")) {
    messages.set("webgl", "This browser cannot draw the run: it lacks WebGL 2, or hardware acceleration is switched off.");
    return null;
  }
  return make();
}

function run(viewer: Viewer, canvas: HTMLCanvasElement, messages: Messages): void {
  const side = byId("side");
  const showHelp = listen(viewer, byId<HTMLDialogElement>("help"));
  const parts = [
    new Heading(byId("head"), viewer),
    new Legend(byId("legend"), viewer),
    new Display(side, viewer),
    new ObjectLists(side, viewer),
    new Plots(side, viewer),
    new RunFacts(side, viewer),
    new Transport(byId("transport"), viewer, showHelp),
  ];
  let isOld = true;
  viewer.onChange = () => (isOld = true);
  const resize = () => {
    const ratio = Math.min(FINEST, window.devicePixelRatio || 1);
    viewer.stage.resize(canvas.clientWidth, canvas.clientHeight, ratio);
    isOld = true;
  };
  new ResizeObserver(resize).observe(byId("stage"));
  resize();

  let before = performance.now();
  const tick = (now: number) => {
    viewer.tick((now - before) / 1000);
    before = now;
    if (isOld) {
      isOld = false;
      for (const part of parts) part.update();
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.fibra = testHook(viewer);

  const lost = () => messages.set("server", "The server does not answer; frames in memory can still be seen. Trying again…");
  void new Follower(viewer.appearance.run, (news) => viewer.hear(news), lost).start();
}

void start();
