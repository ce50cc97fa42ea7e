// Polls the server for new frames and the status of the run, and detects a lost connection.

import { getFrames, getReport, isOtherRun, type FrameList, type RunReport } from "./data/server";

/** Polling interval while the run is in progress [ms]. */
const RUNNING_INTERVAL = 1000;

/** Polling interval after the run has ended [ms]. The run may be resumed. */
const ENDED_INTERVAL = 4000;

/** Result of one poll. */
export interface RunUpdate {
  readonly list: FrameList;
  /** Null if nothing has changed since the last poll. */
  readonly report: RunReport | null;
}

/** Polls the server periodically. */
export class RunPoller {
  private lastState = "";
  private list: FrameList;

  /** `run` identifies the run whose appearance is loaded. */
  constructor(
    run: string | undefined,
    private readonly onUpdate: (update: RunUpdate) => void,
    private readonly onDisconnect: (reason: string) => void,
  ) {
    this.list = { run, status: "running", frames: [] };
  }

  /** Polls now, and then for as long as the page is open. */
  async start(): Promise<void> {
    const delay = await this.poll();
    setTimeout(() => void this.start(), delay);
  }

  /** Polls once; returns the delay until the next poll [ms]. */
  private async poll(): Promise<number> {
    // A hidden tab does not poll.
    if (document.hidden && this.lastState !== "") return RUNNING_INTERVAL;
    try {
      const list = await getFrames();
      if (isOtherRun(this.list, list)) {
        // Objects, bodies and units of the new run may differ, so the page starts over.
        location.reload();
        return ENDED_INTERVAL;
      }
      this.list = list;
      const state = `${list.status} ${list.frames.length} ${list.frames.at(-1)}`;
      const report = state === this.lastState ? null : await getReport();
      this.lastState = state;
      this.onUpdate({ list, report });
      return list.status === "running" ? RUNNING_INTERVAL : ENDED_INTERVAL;
    } catch (error) {
      this.lastState = "lost";
      this.onDisconnect(error instanceof Error ? error.message : String(error));
      return ENDED_INTERVAL;
    }
  }
}
