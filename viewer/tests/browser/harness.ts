// Runs, servers and pages for the browser tests.

import { spawn, type ChildProcess } from "node:child_process";
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { parseHeader, type Header } from "../../src/data/safetensors";

declare const VIEWER_ROOT: string;

const FIBRA = process.env.FIBRA ?? join(VIEWER_ROOT, "../target/release/fibra");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Timeout of all waits [ms]; software rendering on a busy machine is slow. */
export const TIMEOUT = 60_000;

/** Owns the browser, the child processes and the temporary folder of a test file. */
export class TestBench {
  readonly folder = mkdtempSync(join(tmpdir(), "fibra-viewer-"));
  private browser: Browser | undefined;
  private readonly children: ChildProcess[] = [];

  /** Simulates a built-in scene or a scene file; returns the run folder. */
  async run(scene: string, frames: number, ...options: string[]): Promise<string> {
    const child = this.start(scene, frames, ...options);
    const code = await new Promise((resolve) => child.once("exit", resolve));
    assert.equal(code, 0, `fibra run ${scene}`);
    return this.runFolder(scene);
  }

  /** Starts a simulation and returns its process. */
  start(scene: string, frames: number, ...options: string[]): ChildProcess {
    const folder = this.runFolder(scene);
    const args = ["run", scene, "-o", folder, "--frames", String(frames), "--no-preview", "--force", ...options];
    const child = spawn(FIBRA, args, { stdio: "ignore" });
    this.children.push(child);
    return child;
  }

  runFolder(scene: string): string {
    return join(this.folder, basename(scene, ".toml"));
  }

  /** Starts `fibra view` for a run; returns its process and address. */
  async serve(folder: string): Promise<{ server: ChildProcess; url: string }> {
    const server = spawn(FIBRA, ["view", folder, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
    this.children.push(server);
    const url = await new Promise<string>((resolve, reject) => {
      let output = "";
      const collect = (chunk: Buffer) => {
        output += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(output);
        if (found) resolve(found[0]);
      };
      server.stdout.on("data", collect);
      server.stderr.on("data", collect);
      server.once("exit", () => reject(new Error(`\`fibra view\` exited: ${output}`)));
    });
    return { server, url };
  }

  /** Opens the page of a server and waits for the first frame, unless `isEmpty`. `prepare` can modify the page before it loads. */
  async open(url: string, isEmpty = false, prepare?: (page: Page) => Promise<unknown>): Promise<PageSession> {
    this.browser ??= await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
    });
    const page = await this.browser.newPage({ viewport: { width: 840, height: 500 }, deviceScaleFactor: 0.5 });
    page.setDefaultTimeout(TIMEOUT);
    const session = new PageSession(page, url);
    if (process.env.PAGE === "dist") await useBuiltPage(page, url);
    await prepare?.(page);
    await page.goto(url);
    if (!isEmpty) await session.settle(() => window.fibra !== undefined && window.fibra.frame >= 0 && !window.fibra.loading);
    return session;
  }

  async close(): Promise<void> {
    await this.browser?.close();
    for (const child of this.children) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An open page with the console errors and unexpected requests so far. */
export class PageSession {
  readonly problems: string[] = [];

  constructor(
    readonly page: Page,
    url: string,
  ) {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.problems.push(message.text());
    });
    page.on("pageerror", (error) => this.problems.push(String(error)));
    page.on("request", (request) => {
      const address = request.url();
      if (![url, `blob:${url}`, "data:"].some((prefix) => address.startsWith(prefix))) this.problems.push(`unexpected request to ${address}`);
    });
  }

  /** Waits until a condition holds in the page. */
  async settle(holds: () => boolean): Promise<void> {
    await this.page.waitForFunction(holds, undefined, { polling: 50, timeout: TIMEOUT });
  }

  /** Waits until a frame is displayed. */
  async frame(number: number): Promise<void> {
    await this.page.waitForFunction((expected) => window.fibra!.frame === expected && !window.fibra!.loading, number, {
      polling: 50,
      timeout: TIMEOUT,
    });
  }

  /** Waits for a message that matches `pattern`. */
  async waitForMessage(pattern: RegExp): Promise<void> {
    await this.page.waitForFunction((source) => new RegExp(source).test(document.getElementById("messages")!.textContent!), pattern.source);
  }

  async colorBy(key: string): Promise<void> {
    await this.page.selectOption("#color", key);
    await this.page.waitForFunction((expected) => window.fibra!.color.by === expected && !window.fibra!.loading, key);
  }

  /** Drags along the timeline between two positions, given as fractions of its width. */
  async scrub(from: number, to: number): Promise<void> {
    const { x, y, width, height } = (await this.page.locator("#timeline").boundingBox())!;
    await this.page.mouse.move(x + Math.max(8, from * width), y + height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(x + to * width, y + height / 2, { steps: 3 });
    await this.page.mouse.up();
  }

  pixels() {
    return this.page.evaluate(() => window.fibra!.drawnPixels());
  }

  imageHash() {
    return this.page.evaluate(() => window.fibra!.imageHash());
  }

  counts() {
    return this.page.evaluate(() => window.fibra!.counts);
  }

  /** Closes the page and asserts that it reported no problems. */
  async end(): Promise<void> {
    await this.page.close();
    assert.deepEqual(this.problems, []);
  }
}

/** Reads the header of a frame file. */
export function frameHeader(folder: string, frame: number): Header {
  const bytes = readFileSync(framePath(folder, frame));
  return parseHeader(bytes, bytes.length);
}

export function framePath(folder: string, frame: number): string {
  return join(folder, "frames", `${String(frame).padStart(4, "0")}.safetensors`);
}

/** The committed page. A program that was built earlier may embed an older page. */
export function builtPage(): string {
  return readFileSync(join(VIEWER_ROOT, "dist/index.html"), "utf8");
}

async function useBuiltPage(page: Page, url: string): Promise<void> {
  const rules = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; worker-src blob:";
  await page.route(url, (route) =>
    route.fulfill({ body: builtPage(), contentType: "text/html; charset=utf-8", headers: { "Content-Security-Policy": rules } }),
  );
}
