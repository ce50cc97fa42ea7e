// Small plots of the run's quantities over its frames, with a marker at the current frame.

import { categorical, css } from "../data/color_maps";
import { toTitle } from "../data/color_values";
import { extent, height as heightOf, plotSections, rowAt, type Plot } from "../data/quantities";
import type { FrameQuantities, RunReport } from "../data/server";
import type { Viewer } from "../viewer";
import { h, withBackground, section, fitToScreen, themeColor } from "./dom";
import { formatNumber } from "./format";

/** Heights of plots with several series and with one series, and the inner margin [CSS pixels]. */
const HEIGHT_MULTIPLE = 84;
const HEIGHT_SINGLE = 38;
const PAD = 4;

interface PlotFigure {
  plot: Plot;
  readonly canvas: HTMLCanvasElement;
  readonly outputs: readonly HTMLOutputElement[];
  readonly colors: readonly string[];
}

/** The section with all plots. */
export class Plots {
  private readonly container = h("div", { id: "plots" });
  private readonly section: HTMLDetailsElement;
  private figures: PlotFigure[] = [];
  /** Names of all plots and series, to detect changes. */
  private names = "";
  private quantities: readonly FrameQuantities[] = [];
  private report: RunReport | null = null;

  constructor(
    side: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    this.section = section("Statistics", true, this.container);
    this.section.addEventListener("toggle", () => this.update());
    side.append(this.section);
  }

  update(): void {
    const { report } = this.viewer;
    if (report !== this.report) {
      this.report = report;
      this.quantities = report?.quantities ?? [];
      this.build();
    }
    this.section.hidden = this.figures.length === 0;
    if (!this.section.open) return;
    const row = rowAt(this.quantities, this.viewer.frame?.number ?? 0);
    for (const figure of this.figures) this.draw(figure, row);
  }

  private build(): void {
    const sections = plotSections(this.quantities, this.viewer.appearance.quantity_groups);
    const names = JSON.stringify(
      sections.map(({ name, plots }) => [name, plots.map(({ title, series }) => [title, series.map(({ label }) => label)])]),
    );
    if (names === this.names) {
      // Only the values have changed. Keep the elements, because the user may be dragging along a plot.
      sections.flatMap(({ plots }) => plots).forEach((plot, k) => (this.figures[k].plot = plot));
      return;
    }
    this.names = names;
    this.figures = [];
    const parts: HTMLElement[] = [];
    for (const { name, plots } of sections) {
      parts.push(h("h3", {}, name));
      for (const plot of plots) parts.push(this.createFigure(plot));
    }
    this.container.replaceChildren(...parts);
  }

  private createFigure(plot: Plot): HTMLElement {
    const canvas = h("canvas", { tabIndex: -1 });
    const isMultiple = plot.series.length > 1;
    canvas.style.height = `${isMultiple ? HEIGHT_MULTIPLE : HEIGHT_SINGLE}px`;
    const colors = plot.series.map((_, k) => (isMultiple ? css(categorical(k)) : ""));
    const outputs = plot.series.map(() => h("output"));
    const title = toTitle(plot.title);
    const captions = isMultiple
      ? [
          h("span", { className: "series" }, title),
          ...plot.series.map(({ label }, k) => h("span", { className: "series" }, withBackground(h("i"), colors[k]), label, outputs[k])),
        ]
      : plot.series.map(({ label }, k) => h("span", { className: "series" }, label === "" ? title : `${title}: ${label}`, outputs[k]));
    this.figures.push({ plot, canvas, outputs, colors });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.viewer.playback.stop();
      this.seek(canvas, event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.seek(canvas, event);
    });
    return h("figure", { className: "plot" }, h("figcaption", {}, ...captions), canvas);
  }

  private draw({ plot, canvas, outputs, colors }: PlotFigure, row: number): void {
    const { width, height, context } = fitToScreen(canvas);
    plot.series.forEach(({ values }, k) => (outputs[k].textContent = formatNumber(values[row])));
    const range = extent(plot);
    if (!range || width === 0) return;
    const [low, high] = range;
    const last = Math.max(1, this.quantities.length - 1);
    const x = (k: number) => PAD + (k / last) * (width - 2 * PAD);
    // A constant line is centered. Values below a logarithmic axis are drawn at its lower end.
    const y = (at: number) =>
      high > low ? height - PAD - ((Math.max(at, low) - low) / (high - low)) * (height - 2 * PAD) : height / 2;
    const axisCoordinate = (value: number | null | undefined) => heightOf(value, plot.isLogarithmic);
    context.lineWidth = 1;
    context.strokeStyle = themeColor("line");
    if (low < 0 && high > 0 && !plot.isLogarithmic) stroke(context, [[0, y(0)], [width, y(0)]]);
    context.lineWidth = 1.5;
    plot.series.forEach(({ values }, k) => {
      context.strokeStyle = context.fillStyle = colors[k] || themeColor("accent");
      context.beginPath();
      let isPenDown = false;
      values.forEach((value, k) => {
        const at = axisCoordinate(value);
        if (at !== null && isPenDown) context.lineTo(x(k), y(at));
        else if (at !== null) context.moveTo(x(k), y(at));
        isPenDown = at !== null;
      });
      context.stroke();
    });
    context.lineWidth = 1;
    context.strokeStyle = themeColor("dim");
    stroke(context, [[x(row), 0], [x(row), height]]);
    plot.series.forEach(({ values }, k) => {
      const at = axisCoordinate(values[row]);
      if (at === null) return;
      context.fillStyle = colors[k] || themeColor("accent");
      context.beginPath();
      context.arc(x(row), y(at), 2.5, 0, 2 * Math.PI);
      context.fill();
    });
  }

  private seek(canvas: HTMLCanvasElement, event: PointerEvent): void {
    const { left, width } = canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left - PAD) / (width - 2 * PAD)));
    const frame = this.quantities[Math.round(share * (this.quantities.length - 1))]?.frame ?? 0;
    const index = this.viewer.frames.findIndex((number) => number >= frame);
    this.viewer.seek(index < 0 ? this.viewer.frames.length - 1 : index);
  }
}

function stroke(context: CanvasRenderingContext2D, points: [number, number][]): void {
  context.beginPath();
  points.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.stroke();
}
