// State of the page and all actions on it. Panels and keyboard shortcuts call these actions and display the state.

import { Vector3 } from "three";
import { Coloring } from "./coloring";
import { colorChoices, type ColorChoice } from "./data/color_values";
import type { Frame } from "./data/frame";
import { FrameCache } from "./data/frame_cache";
import { FrameReader, readBody } from "./data/frame_reader";
import { union, boundingSphere, boundsOf, type Bounds } from "./data/bounds";
import type { Appearance, RunReport, RunStatus, Vec3 } from "./data/server";
import { BallsDrawing, ROTATION } from "./drawing/balls_drawing";
import { BodiesDrawing } from "./drawing/bodies_drawing";
import { CurvesDrawing } from "./drawing/curves_drawing";
import { GrainsDrawing } from "./drawing/grains_drawing";
import { appearanceTexels, materialColors, defaultCurveRadii } from "./drawing/object_appearance";
import { PointsDrawing } from "./drawing/points_drawing";
import { appearanceTexture, Shared } from "./drawing/shared";
import { Stage } from "./drawing/stage";
import { SurfacesDrawing } from "./drawing/surfaces_drawing";
import { THEMES, type ThemeName } from "./drawing/theme";
import type { Messages } from "./panel/messages";
import { FrameRateMonitor } from "./frame_rate";
import { Playback } from "./playback";
import type { RunUpdate } from "./run_poller";
import { FrameRequests, type Screen } from "./frame_requests";

/** Memory for cached frames [bytes]: an eighth of the machine's memory, at most 2 GiB. 4 GiB of memory are assumed if the browser reports none. */
function cacheBytes(): number {
  const { deviceMemory: gibibytes = 4 } = navigator as Navigator & { deviceMemory?: number };
  return Math.min(gibibytes / 8, 2) * 2 ** 30;
}

/** With software rendering and more points than this, shadows are off initially: they would take ten seconds or more. */
const MAX_SHADED_POINTS_WITHOUT_GPU = 200_000;

/** Maximum number of frames to prefetch during playback. */
const MAX_AHEAD = 24;

/** State and actions of the page. */
export class Viewer {
  readonly shared = new Shared();
  readonly stage: Stage;
  readonly playback = new Playback();
  private readonly frameRate = new FrameRateMonitor();
  readonly coloring = new Coloring(this.shared);
  readonly cache: FrameCache;
  readonly objectIsVisible: boolean[];
  readonly bodyIsVisible: boolean[];
  frames: readonly number[] = [];
  status: RunStatus = "running";
  report: RunReport | null = null;
  /** The displayed frame. */
  frame: Frame | null = null;
  choices: ColorChoice[] = [];
  isFollowing = false;
  theme: ThemeName = "light";
  /** Whether points are drawn as spheres instead of dots. */
  hasSpheres = true;
  /** CPU time of the last frame change [ms]. */
  updateMs = 0;
  /** Called after every change of the state. */
  onChange: () => void = () => undefined;
  private readonly points: PointsDrawing;
  private readonly curves: CurvesDrawing;
  private readonly surfaces: SurfacesDrawing;
  private readonly grains: GrainsDrawing;
  private readonly bodies: BodiesDrawing;
  private readonly balls: BallsDrawing;
  private bounds: Bounds | null = null;
  private firstPoints: Float32Array | null = null;
  /** Curve radius of each object, for materials without a radius [m]. */
  private defaultRadii: number[] = [];
  /** Number of points drawn as points: not vertices of elements and not replaced by grains. */
  private pointCount = 0;
  private isViewSetUp = false;
  /** Wall time since the last update; accumulates while the graphics card is busy [s]. */
  private pendingSeconds = 0;
  private readonly requests: FrameRequests;

  constructor(
    readonly appearance: Appearance,
    canvas: HTMLCanvasElement,
    private readonly messages: Messages,
  ) {
    const deforming = appearance.bodies.flatMap(({ shape }, k) => (shape.kind === "deforming" ? [k] : []));
    this.cache = new FrameCache(new FrameReader(deforming), cacheBytes());
    this.requests = new FrameRequests(this.cache, this.screen());
    this.playback.framesPerSecond = appearance.frames_per_second > 0 ? appearance.frames_per_second : 24;
    this.stage = new Stage(canvas, this.shared);
    this.stage.onContextLoss = (isLost) => {
      if (isLost) messages.set("card", "The browser lost the graphics card. Waiting until it is available again…");
      else messages.clear("card");
      this.onChange();
    };
    this.points = new PointsDrawing(this.shared);
    this.curves = new CurvesDrawing(this.shared);
    this.surfaces = new SurfacesDrawing(this.shared);
    this.grains = new GrainsDrawing(this.shared, appearance.objects);
    this.bodies = new BodiesDrawing(this.shared, appearance);
    this.balls = new BallsDrawing(this.shared, appearance.objects);
    const { points, curves, surfaces, grains, bodies, balls } = this;
    this.stage.add(bodies.object, balls.object, surfaces.object, grains.object, curves.object, points.object);
    this.objectIsVisible = appearance.objects.map(() => true);
    this.bodyIsVisible = appearance.bodies.map(() => true);
    this.setTheme("light");
    this.updateAppearance();
    this.updateExtraTensors();
    void this.readBodies();
  }

  /** Whether a requested frame is still loading. */
  get isLoading(): boolean {
    return this.requests.isLoading;
  }

  /** Whether rendering is too slow during playback. */
  get isSlow(): boolean {
    return this.frameRate.isSlow;
  }

  /** Number of points, elements, grains and bodies that are drawn. */
  get counts(): { points: number; segments: number; triangles: number; grains: number; bodies: number } {
    const { frame } = this;
    return {
      points: this.pointCount,
      segments: (frame?.topology.segments.length ?? 0) / 2,
      triangles: (frame?.topology.triangles.length ?? 0) / 3,
      grains: (frame?.instances.length ?? 0) / 7,
      bodies: this.bodies.count,
    };
  }

  /** Applies the result of a poll. */
  applyUpdate({ list, report }: RunUpdate): void {
    this.messages.clear("server");
    this.cache.forgetConnectionErrors();
    this.frames = list.frames;
    this.status = list.status;
    this.playback.count = list.frames.length;
    if (report) {
      // The run has changed or the connection is back, so failed frames may be readable now.
      this.report = report;
      this.cache.forgetFailures();
    }
    if (list.frames.length === 0) {
      this.messages.set("empty", list.status === "running" ? "Waiting for the first frame…" : "This run has no frames.");
    } else {
      this.messages.clear("empty");
      if (!this.frame || this.requests.isDisconnected) this.show();
      else if (this.isFollowing) this.seek(list.frames.length - 1, true);
    }
    if (this.status === "failed") {
      this.messages.set("run", `The run failed: ${this.report?.message ?? "no reason given"}`);
    } else {
      this.messages.clear("run");
    }
    this.onChange();
  }

  /** Goes to an index in the list of frames. */
  seek(index: number, isFollowing = false): void {
    this.isFollowing = isFollowing;
    const before = this.playback.index;
    this.playback.seek(index);
    if (this.playback.index !== before || !this.frame) this.show();
    this.onChange();
  }

  /** Stops playback and moves by `frames`, which may be negative. */
  step(frames: number): void {
    this.playback.stop();
    this.seek(this.playback.index + frames);
  }

  togglePlay(): void {
    const before = this.playback.index;
    this.isFollowing = false;
    this.playback.toggle();
    if (this.playback.index !== before) this.show();
    this.onChange();
  }

  /** Starts or stops following the newest frame. */
  toggleFollow(): void {
    this.playback.stop();
    if (this.isFollowing) this.isFollowing = false;
    else this.seek(this.frames.length - 1, true);
    this.onChange();
  }

  /** Advances by the wall time since the last call [s], and draws. */
  tick(elapsed: number): void {
    this.readAhead();
    this.pendingSeconds += elapsed;
    if (this.stage.isBehind()) return;
    const seconds = this.pendingSeconds;
    this.pendingSeconds = 0;
    const { playback, cache, frames } = this;
    this.frameRate.addInterval(seconds, playback.isPlaying);
    this.stage.suspendShadows(this.frameRate.isSlow);
    if (playback.isPlaying) {
      // A frame that cannot be read counts as ready: it shows its error instead of stopping playback.
      const isReady = (number: number) => (cache.get(number) ?? cache.failure(number)) !== undefined;
      if (playback.advance(seconds, (index) => isReady(frames[index]))) this.show(true);
      if (!playback.isPlaying) this.onChange();
    }
    this.stage.draw();
  }

  /** Selects the value to color by. */
  colorBy(key: string): void {
    const choice = this.choices.find((candidate) => candidate.key === key);
    if (!choice) return;
    this.coloring.choose(choice);
    this.updateExtraTensors();
    this.updateAppearance();
    this.show();
  }

  /** Selects the next entry of the color menu. */
  nextColor(): void {
    const at = this.choices.findIndex(({ key }) => key === this.coloring.by);
    this.colorBy(this.choices[(at + 1) % Math.max(1, this.choices.length)]?.key ?? "object");
  }

  /** Sets the range of the color map; null resets it to the range of the current frame. */
  setRange(range: [number, number] | null): void {
    if (range) this.coloring.fix(range);
    else this.coloring.release();
    if (this.frame) this.draw(this.frame);
    this.onChange();
  }

  setObjectVisible(object: number, isVisible: boolean): void {
    if (object >= this.objectIsVisible.length) return;
    this.objectIsVisible[object] = isVisible;
    this.updateAppearance();
    if (this.frame) this.balls.update(this.frame, this.objectIsVisible);
    this.stage.redraw(true);
    this.onChange();
  }

  setBodyVisible(body: number, isVisible: boolean): void {
    this.bodyIsVisible[body] = isVisible;
    this.bodies.setVisible(body, isVisible);
    if (this.frame) this.bodies.update(this.frame);
    this.stage.redraw(true);
    this.onChange();
  }

  setSpheres(hasSpheres: boolean): void {
    this.hasSpheres = hasSpheres;
    this.shared.uniforms.uIsSphere.value = hasSpheres;
    this.stage.redraw(true);
    this.onChange();
  }

  /** Scales the drawn size of points; 1 is the true size [-]. */
  setPointScale(scale: number): void {
    this.shared.uniforms.uPointScale.value = scale;
    this.shared.uniforms.uDotPixels.value = 2.5 * scale;
    this.stage.redraw(true);
  }

  /** Scales the drawn thickness of curves; 1 is the true size [-]. */
  setCurveScale(scale: number): void {
    this.shared.uniforms.uCurveScale.value = scale;
    this.stage.redraw(true);
  }

  setShadows(hasShadows: boolean): void {
    this.stage.hasShadows = hasShadows;
    this.stage.redraw(true);
    this.onChange();
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.bodies.floor.setColor(new Vector3(...THEMES[theme].floor));
    this.stage.setTheme(theme);
    this.onChange();
  }

  /** Moves the camera so that the whole current frame is visible. */
  fit(): void {
    if (!this.frame) return;
    const { center, radius } = boundingSphere(frameBounds(this.frame));
    this.stage.fit(new Vector3(...center), radius, true);
  }

  /** Restores the initial camera. */
  resetCamera(): void {
    const { camera } = this.appearance;
    const { center, radius } = boundingSphere(this.bounds);
    const origin = this.frame?.origin ?? [0, 0, 0];
    const relative = (point: Vec3) => point.map((value, axis) => value - origin[axis]) as [number, number, number];
    if (camera) this.stage.setCamera({ ...camera, eye: relative(camera.eye), target: relative(camera.target) });
    else this.stage.fit(new Vector3(...center), radius, false);
  }

  /** Draws the current frame as soon as it is available. */
  show(isPlayed = false): void {
    const number = this.frames[this.playback.index];
    if (number !== undefined) this.requests.request(number, isPlayed);
  }

  private screen(): Screen {
    return {
      isPrepared: () => this.firstPoints !== null,
      prepare: (frame) => this.readFirst(frame),
      draw: (frame) => {
        this.draw(frame);
        this.onChange();
      },
      setNote: (note) => {
        if (note) this.messages.set("frame", note);
        else this.messages.clear("frame");
        this.onChange();
      },
    };
  }

  private draw(frame: Frame): void {
    const start = performance.now();
    const isNew = frame !== this.frame;
    const hasOtherObjects = frame.topology !== this.frame?.topology;
    // First, because this fails if the graphics card cannot hold the points.
    if (isNew) this.shared.points.set(frame.points);
    this.frame = frame;
    if (this.choices.length === 0 || hasOtherObjects) this.choices = colorChoices(frame);
    if (isNew) {
      if (hasOtherObjects) this.takeObjects(frame);
      this.points.update(frame.topology);
      this.curves.update(frame.topology);
      this.surfaces.update(frame);
      if (!this.isViewSetUp) this.setUpView(frame);
      this.bodies.update(frame);
    }
    this.balls.update(frame, this.objectIsVisible);
    this.coloring.update(frame, this.firstPoints ?? frame.points);
    this.grains.update(frame, this.coloring.hasValues);
    this.stage.redraw(isNew);
    this.updateMs = performance.now() - start;
    if (frame.nonFiniteCount > 0) {
      this.messages.set("non-finite", `Frame ${frame.number}: ${frame.nonFiniteCount} positions are not finite and are not drawn.`);
    } else {
      this.messages.clear("non-finite");
    }
  }

  /** Uploads the object index of each point for the shaders; an index that the scene lacks is replaced by 0. */
  private takeObjects({ topology }: Frame): void {
    const { objects } = this.appearance;
    const isKnown = topology.object.every((object) => object < objects.length);
    this.shared.object.set(isKnown ? topology.object : topology.object.map((object) => (object < objects.length ? object : 0)));
    const isDrawn = objects.map(({ grain, point_radius: radius }) => !grain && radius > 0);
    this.pointCount = topology.freePoints.reduce((count, point) => count + (isDrawn[topology.object[point]] ? 1 : 0), 0);
  }

  private async readFirst(shown: Frame): Promise<void> {
    const first = this.frames[0];
    const frame = shown.number === first ? shown : await this.cache.load(first).catch(() => shown);
    this.firstPoints = frame.points;
    this.defaultRadii = defaultCurveRadii(frame, this.appearance.objects.length);
    this.updateAppearance();
  }

  /** Sets the tensors that frames need beyond the ones that are always drawn. */
  private updateExtraTensors(): void {
    const turns = this.appearance.objects.some((object) => object.turns);
    this.cache.setExtra([...this.coloring.tensors, ...(turns ? ROTATION : [])]);
  }

  private async readBodies(): Promise<void> {
    const reads = this.appearance.bodies.map(async ({ name, shape }, body) => {
      if (shape.kind !== "mesh") return;
      try {
        this.bodies.setMesh(body, await readBody(body));
        this.stage.redraw(true);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.messages.set(`body ${body}`, `Cannot show the body \`${name}\`: ${reason}`);
      }
    });
    await Promise.all(reads);
  }

  /** Places camera and sun for the first frame, and again once the middle and last frames have been read. */
  private setUpView(frame: Frame): void {
    this.isViewSetUp = true;
    if (this.stage.isSoftwareRendered && frame.topology.pointCount > MAX_SHADED_POINTS_WITHOUT_GPU) this.setShadows(false);
    this.setBounds(frameBounds(frame));
    this.resetCamera();
    this.stage.placeSun();
    let isTouched = false;
    this.stage.controls.addEventListener("start", () => (isTouched = true));
    const others = [this.frames.at(-1)!, this.frames[Math.floor(this.frames.length / 2)]];
    const reads = others.map((other) => this.cache.load(other).catch(() => frame));
    void Promise.all(reads).then((found) => {
      const others = found.map(frameBounds);
      this.setBounds(others.reduce(union, this.bounds));
      if (this.frame) this.bodies.update(this.frame);
      if (!isTouched) this.resetCamera();
      this.updateShadowReach();
      this.stage.redraw(true);
    });
  }

  private setBounds(bounds: Bounds | null): void {
    this.bounds = bounds;
    const { center, radius } = boundingSphere(bounds);
    this.stage.setBounds(new Vector3(...center), radius);
    this.bodies.floor.setBounds(new Vector3(...center), radius);
  }

  /** Extends the shadow map to the bodies, which cast and receive shadows. The reach is limited because a wider map is coarser. */
  private updateShadowReach(): void {
    const { center, radius } = boundingSphere(this.bounds);
    const reach = this.bodies.reach(new Vector3(...center)) / radius;
    this.stage.shadowReach = Math.min(2.2, Math.max(1.15, reach));
  }

  private updateAppearance(): void {
    const { objects } = this.appearance;
    const colors = this.coloring.by === "material" ? materialColors(objects) : objects.map(({ color }) => color);
    const texels = appearanceTexels(objects, this.objectIsVisible, colors, this.defaultRadii);
    this.shared.uniforms.uAppearance.value.dispose();
    this.shared.uniforms.uAppearance.value = appearanceTexture(texels);
    this.stage?.redraw();
  }

  /** Prefetches the frames that will be shown next. */
  private readAhead(): void {
    const indices = this.playback.isPlaying ? this.playback.next(MAX_AHEAD) : this.isLoading ? [] : this.neighbors();
    this.cache.prefetch(indices.map((index) => this.frames[index]));
  }

  /** The indices before and after the current one, for single steps. */
  private neighbors(): number[] {
    const { index, count } = this.playback;
    return [index + 1, index - 1].filter((neighbor) => neighbor >= 0 && neighbor < count);
  }
}

function frameBounds(frame: Frame): Bounds | null {
  return union(boundsOf(frame.points, 3), boundsOf(frame.instances, 7));
}
