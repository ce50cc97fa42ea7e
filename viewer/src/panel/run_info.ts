// Information on the run from run.json: stage times, expectations, and general facts.

import type { RunReport } from "../data/server";
import type { Viewer } from "../viewer";
import { h, section } from "./dom";
import { formatBytes, formatCount, formatDuration, formatNumber } from "./format";

/** The sections "Stage times", "Expectations" and "Run". */
export class RunInfo {
  private readonly facts = h("dl", { className: "facts" });
  private readonly bars = h("div", { className: "bars", id: "stages" });
  private readonly expectations = h("ul", { className: "expectations" });
  private readonly sections: { readonly stages: HTMLElement; readonly expectations: HTMLElement };
  private lastReport: RunReport | null = null;
  private lastCounts = "";

  constructor(
    parent: HTMLElement,
    private readonly viewer: Viewer,
  ) {
    this.sections = { stages: section("Stage times", true, this.bars), expectations: section("Expectations", true, this.expectations) };
    parent.append(this.sections.stages, this.sections.expectations, section("Run", true, this.facts));
  }

  update(): void {
    const { report } = this.viewer;
    const counts = JSON.stringify(this.viewer.counts);
    if (report === this.lastReport && counts === this.lastCounts) return;
    this.lastReport = report;
    this.lastCounts = counts;
    this.showFacts(report ?? {});
    this.showStages(report?.stages ?? {});
    this.showExpectations(report?.expectations ?? []);
  }

  private showFacts(report: RunReport): void {
    const { counts, appearance } = this.viewer;
    const rows: [string, string | undefined][] = [
      ["Scene", report.scene],
      ["Method", appearance.method],
      ...(["points", "segments", "triangles", "grains"] as const).map((kind): [string, string | undefined] => [
        kind.charAt(0).toUpperCase() + kind.slice(1),
        counts[kind] > 0 ? formatCount(counts[kind]) : undefined,
      ]),
      ["Steps", report.steps === undefined ? undefined : formatCount(report.steps)],
      ["Time step", report.dt ? `${formatNumber(report.dt.mean)} s` : undefined],
      ["Wall time", report.seconds === undefined ? undefined : formatDuration(report.seconds)],
      ["Time per frame", report.seconds_per_frame ? formatDuration(report.seconds_per_frame) : undefined],
      ["Peak memory", report.peak_rss_bytes ? formatBytes(report.peak_rss_bytes) : undefined],
      ["Machine", report.machine ? `${report.machine.cpu}, ${report.machine.threads} threads` : undefined],
      ["Version", report.fibra_version],
    ];
    this.facts.replaceChildren(
      ...rows.flatMap(([name, value]) => (value === undefined ? [] : [h("dt", {}, name), h("dd", {}, value)])),
    );
  }

  private showStages(stages: Readonly<Record<string, number>>): void {
    const entries = Object.entries(stages).filter(([, seconds]) => seconds > 0);
    const longest = Math.max(...entries.map(([, seconds]) => seconds));
    this.sections.stages.hidden = entries.length === 0;
    this.bars.replaceChildren(
      ...entries.flatMap(([name, seconds]) => {
        const bar = h("b");
        bar.style.width = `${Math.max(1, (100 * seconds) / longest)}%`;
        return [h("span", {}, name.replaceAll("_", " ")), bar, h("output", {}, formatDuration(seconds))];
      }),
    );
  }

  private showExpectations(expectations: NonNullable<RunReport["expectations"]>): void {
    this.sections.expectations.hidden = expectations.length === 0;
    this.expectations.replaceChildren(
      ...expectations.map(({ name, measured, min, max, pass }) => {
        const allowed = `${min === null ? "" : `${formatNumber(min)} ≤ `}${formatNumber(measured)}${max === null ? "" : ` ≤ ${formatNumber(max)}`}`;
        return h("li", { className: pass ? "pass" : "" }, name, " ", h("small", {}, allowed));
      }),
    );
  }
}
