// The playback bar below the 3D view: play, step, scrub, speed, loop and follow.

import { SPEEDS } from "../playback";
import type { Viewer } from "../viewer";
import { h } from "./dom";
import { icon, type IconName } from "./icons";
import { Timeline } from "./timeline";

/** The playback bar. */
export class Transport {
  private readonly timeline: Timeline;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly follow: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly clock = h("div", { className: "clock", id: "clock" });

  constructor(
    parent: HTMLElement,
    private readonly viewer: Viewer,
    showHelp: () => void,
  ) {
    const { playback } = viewer;
    this.timeline = new Timeline(viewer);
    this.play = button("play", "Play or pause (space)", () => viewer.togglePlay());
    this.play.classList.add("play");
    this.play.id = "play";
    this.loop = button("loop", "Loop (L)", () => {
      playback.loops = !playback.loops;
      this.update();
    });
    this.follow = button("follow", "Follow the newest frame (N)", () => viewer.toggleFollow());
    this.follow.id = "follow";
    const options = SPEEDS.map((speed) => h("option", { value: String(speed) }, `${speed}×`));
    this.speed = h("select", { title: "Playback speed relative to real time ([ and ])", id: "speed" }, ...options);
    this.speed.addEventListener("change", () => (playback.speed = Number(this.speed.value)));
    parent.append(
      h(
        "div",
        { className: "keys" },
        button("first", "First frame (home)", () => viewer.step(-Infinity)),
        button("back", "Previous frame (←)", () => viewer.step(-1)),
        this.play,
        button("next", "Next frame (→)", () => viewer.step(1)),
        button("last", "Last frame (end)", () => viewer.step(Infinity)),
      ),
      this.timeline.element,
      h(
        "div",
        { className: "right" },
        this.clock,
        this.speed,
        this.loop,
        this.follow,
        button("fit", "Zoom to fit (F)", () => viewer.fit()),
        button("help", "Keyboard shortcuts (?)", showHelp),
      ),
    );
  }

  update(): void {
    const { playback, frame, frames, isFollowing } = this.viewer;
    const name = playback.isPlaying ? "pause" : "play";
    if (this.play.dataset.icon !== name) {
      this.play.dataset.icon = name;
      this.play.replaceChildren(icon(name));
    }
    this.loop.setAttribute("aria-pressed", String(playback.loops));
    this.follow.setAttribute("aria-pressed", String(isFollowing));
    this.speed.value = String(playback.speed);
    const time = frame && Number.isFinite(frame.time) ? `${frame.time.toFixed(3)} s` : "–";
    this.clock.replaceChildren(
      frame ? String(frame.number) : "–",
      h("small", {}, ` / ${frames.at(-1) ?? "–"}`),
      `  ${time}`,
    );
    this.timeline.update();
  }
}

function button(name: IconName, title: string, act: () => void): HTMLButtonElement {
  const element = h("button", { className: "icon", type: "button", title, "aria-label": title }, icon(name));
  element.addEventListener("click", act);
  return element;
}
