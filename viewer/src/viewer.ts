// The state of the page and what can be done with it; panels and keys call this, and draw what it says.

import { Vector3 } from "three";
import { Coloring } from "./coloring";
import { colorChoices, type ColorChoice } from "./data/color_values";
import type { Frame } from "./data/frame";
import { FrameCache } from "./data/frame_cache";
import { FrameReader, readBody } from "./data/frame_reader";
import { around, ballOf, roomOf, type Room } from "./data/room";
import type { Appearance, RunReport, RunStatus, Vec3 } from "./data/server";
import { BallsDrawing, ROTATION } from "./drawing/balls_drawing";
import { BodiesDrawing } from "./drawing/bodies_drawing";
import { CurvesDrawing } from "./drawing/curves_drawing";
import { GrainsDrawing } from "./drawing/grains_drawing";
import { looks, materialColors, usualCurveRadii } from "./drawing/looks";
import { PointsDrawing } from "./drawing/points_drawing";
import { looksTexture, Shared } from "./drawing/shared";
import { Stage } from "./drawing/stage";
import { SurfacesDrawing } from "./drawing/surfaces_drawing";
import { THEMES, type ThemeName } from "./drawing/theme";
import type { Messages } from "./panel/messages";
import { Pace } from "./pace";
import { Playback } from "./playback";
import type { News } from "./follower";
import { Wishes, type Screen } from "./wishes";

/** Memory for frames: an eighth of the machine's, of which some browsers tell nothing [bytes]. */
function cacheBytes(): number {
  const { deviceMemory: gibibytes = 4 } = navigator as Navigator & { deviceMemory?: number };
  return Math.min(gibibytes / 8, 2) * 2 ** 30;
}

/** With more points than this, there are no shadows at first where the processor draws: they would take ten seconds and more. */
const MOST_SHADED_WITHOUT_CARD = 200_000;

/** Frames that are read ahead while playing, at most. */
const AHEAD = 24;

/** Everything that the page shows. */
export class Viewer {
  readonly shared = new Shared();
  readonly stage: Stage;
  readonly playback = new Playback();
  private readonly pace = new Pace();
  readonly coloring = new Coloring(this.shared);
  readonly cache: FrameCache;
  readonly objectIsVisible: boolean[];
  readonly bodyIsVisible: boolean[];
  frames: readonly number[] = [];
  status: RunStatus = "running";
  report: RunReport | null = null;
  /** The frame that is drawn. */
  frame: Frame | null = null;
  choices: ColorChoice[] = [];
  isFollowing = false;
  theme: ThemeName = "light";
  hasBalls = true;
  /** Time that the last change of frame took on the processor [ms]. */
  updateMs = 0;
  /** Called after anything has changed. */
  onChange: () => void = () => undefined;
  private readonly points: PointsDrawing;
  private readonly curves: CurvesDrawing;
  private readonly surfaces: SurfacesDrawing;
  private readonly grains: GrainsDrawing;
  private readonly bodies: BodiesDrawing;
  private readonly balls: BallsDrawing;
  private room: Room | null = null;
  private firstPoints: Float32Array | null = null;
  /** By object, for curves whose material gives no radius [m]. */
  private usualRadii: number[] = [];
  /** Points that are drawn as such: neither vertices nor shown by grains. */
  private pointCount = 0;
  private hasLooked = false;
  /** Wall time that went by while the graphics card was busy [s]. */
  private untold = 0;
  private readonly wishes: Wishes;

  constructor(
    readonly appearance: Appearance,
    canvas: HTMLCanvasElement,
    private readonly messages: Messages,
  ) {
    const deforming = appearance.bodies.flatMap(({ shape }, k) => (shape.kind === "deforming" ? [k] : []));
    this.cache = new FrameCache(new FrameReader(deforming), cacheBytes());
    this.wishes = new Wishes(this.cache, this.screen());
    this.playback.framesPerSecond = appearance.frames_per_second > 0 ? appearance.frames_per_second : 24;
    this.stage = new Stage(canvas, this.shared);
    this.stage.onLoss = (isLost) => {
      if (isLost) messages.set("card", "The graphics card was lost; waiting for it to come back…");
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
    this.updateLooks();
    this.wantTensors();
    void this.readBodies();
  }

  /** Whether a frame is waited for. */
  get isLoading(): boolean {
    return this.wishes.isLoading;
  }

  /** Whether pictures come too slowly while it plays. */
  get isSlow(): boolean {
    return this.pace.isSlow;
  }

  /** Numbers of what is drawn. */
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

  /** Takes in what the server has told. */
  hear({ list, report }: News): void {
    this.messages.clear("server");
    this.cache.forgetSilence();
    this.frames = list.frames;
    this.status = list.status;
    this.playback.count = list.frames.length;
    if (report) {
      // Something has changed, or the server is back.
      this.report = report;
      this.cache.forgetFailures();
    }
    if (list.frames.length === 0) {
      this.messages.set("empty", list.status === "running" ? "Waiting for the first frame…" : "This run has no frames.");
    } else {
      this.messages.clear("empty");
      if (!this.frame || this.wishes.isCutOff) this.show();
      else if (this.isFollowing) this.seek(list.frames.length - 1, true);
    }
    if (this.status === "failed") {
      this.messages.set("run", `The run failed: ${this.report?.message ?? "it does not say why"}`);
    } else {
      this.messages.clear("run");
    }
    this.onChange();
  }

  /** Goes to a place in the list of frames. */
  seek(place: number, isFollowing = false): void {
    this.isFollowing = isFollowing;
    const before = this.playback.place;
    this.playback.seek(place);
    if (this.playback.place !== before || !this.frame) this.show();
    this.onChange();
  }

  /** Goes some frames on or back, and stops. */
  step(frames: number): void {
    this.playback.stop();
    this.seek(this.playback.place + frames);
  }

  togglePlay(): void {
    const before = this.playback.place;
    this.isFollowing = false;
    this.playback.toggle();
    if (this.playback.place !== before) this.show();
    this.onChange();
  }

  /** Stays at the newest frame, or no longer. */
  toggleFollow(): void {
    this.playback.stop();
    if (this.isFollowing) this.isFollowing = false;
    else this.seek(this.frames.length - 1, true);
    this.onChange();
  }

  /** Lets wall time go by [s]. */
  tick(since: number): void {
    this.readAhead();
    this.untold += since;
    if (this.stage.isBehind()) return;
    const seconds = this.untold;
    this.untold = 0;
    const { playback, cache, frames } = this;
    this.pace.note(seconds, playback.isPlaying);
    this.stage.spareShadows(this.pace.isSlow);
    if (playback.isPlaying) {
      // A frame that cannot be read is shown as such, so that it does not stop the others.
      const isReady = (number: number) => (cache.get(number) ?? cache.failure(number)) !== undefined;
      if (playback.advance(seconds, (place) => isReady(frames[place]))) this.show(true);
      if (!playback.isPlaying) this.onChange();
    }
    this.stage.draw();
  }

  /** Colors by another value. */
  colorBy(key: string): void {
    const choice = this.choices.find((candidate) => candidate.key === key);
    if (!choice) return;
    this.coloring.choose(choice);
    this.wantTensors();
    this.updateLooks();
    this.show();
  }

  /** The next entry of the color menu. */
  nextColor(): void {
    const at = this.choices.findIndex(({ key }) => key === this.coloring.by);
    this.colorBy(this.choices[(at + 1) % Math.max(1, this.choices.length)]?.key ?? "object");
  }

  /** Sets the range of the colors by hand, or lets it be that of the present frame. */
  setRange(range: [number, number] | null): void {
    if (range) this.coloring.fix(range);
    else this.coloring.release();
    if (this.frame) this.draw(this.frame);
    this.onChange();
  }

  setObjectVisible(object: number, isVisible: boolean): void {
    if (object >= this.objectIsVisible.length) return;
    this.objectIsVisible[object] = isVisible;
    this.updateLooks();
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

  setBalls(hasBalls: boolean): void {
    this.hasBalls = hasBalls;
    this.shared.uniforms.uIsBall.value = hasBalls;
    this.stage.redraw(true);
    this.onChange();
  }

  /** Draws points larger or smaller than they are [-]. */
  setPointScale(scale: number): void {
    this.shared.uniforms.uPointScale.value = scale;
    this.shared.uniforms.uDotPixels.value = 2.5 * scale;
    this.stage.redraw(true);
  }

  /** Draws curves thicker or thinner than they are [-]. */
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

  /** Looks so that all of the present frame is seen. */
  fit(): void {
    if (!this.frame) return;
    const { center, radius } = ballOf(roomOfFrame(this.frame));
    this.stage.fit(new Vector3(...center), radius, true);
  }

  /** Looks from where the page looked at first. */
  resetCamera(): void {
    const { camera } = this.appearance;
    const { center, radius } = ballOf(this.room);
    const origin = this.frame?.origin ?? [0, 0, 0];
    const near = (point: Vec3) => point.map((value, axis) => value - origin[axis]) as [number, number, number];
    if (camera) this.stage.look({ ...camera, eye: near(camera.eye), target: near(camera.target) });
    else this.stage.fit(new Vector3(...center), radius, false);
  }

  /** Draws the frame that is due, as soon as it is there. */
  show(isPlayed = false): void {
    const number = this.frames[this.playback.place];
    if (number !== undefined) this.wishes.see(number, isPlayed);
  }

  private screen(): Screen {
    return {
      isPrepared: () => this.firstPoints !== null,
      prepare: (frame) => this.readFirst(frame),
      draw: (frame) => {
        this.draw(frame);
        this.onChange();
      },
      tell: (note) => {
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
    // Before anything else, as it may be too much for the graphics card.
    if (isNew) this.shared.points.set(frame.points);
    this.frame = frame;
    if (this.choices.length === 0 || hasOtherObjects) this.choices = colorChoices(frame);
    if (isNew) {
      if (hasOtherObjects) this.takeObjects(frame);
      this.points.update(frame.topology);
      this.curves.update(frame.topology);
      this.surfaces.update(frame);
      if (!this.hasLooked) this.lookFirst(frame);
      this.bodies.update(frame);
    }
    this.balls.update(frame, this.objectIsVisible);
    this.coloring.update(frame, this.firstPoints ?? frame.points);
    this.grains.update(frame, this.coloring.hasValues);
    this.stage.redraw(isNew);
    this.updateMs = performance.now() - start;
    if (frame.lost > 0) {
      this.messages.set("lost", `Frame ${frame.number}: ${frame.lost} places are not finite and are not drawn.`);
    } else {
      this.messages.clear("lost");
    }
  }

  /** Hands the objects of the points to the shaders; those that the scene does not have count as the first. */
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
    this.usualRadii = usualCurveRadii(frame, this.appearance.objects.length);
    this.updateLooks();
  }

  private wantTensors(): void {
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
        this.messages.set(`body ${body}`, `The body \`${name}\` cannot be shown: ${reason}`);
      }
    });
    await Promise.all(reads);
  }

  /** Places camera and sun for the first frame, and again when the last one is known. */
  private lookFirst(frame: Frame): void {
    this.hasLooked = true;
    if (this.stage.isWithoutCard && frame.topology.pointCount > MOST_SHADED_WITHOUT_CARD) this.setShadows(false);
    this.setRoom(roomOfFrame(frame));
    this.resetCamera();
    this.stage.placeSun();
    let isTouched = false;
    this.stage.controls.addEventListener("start", () => (isTouched = true));
    const others = [this.frames.at(-1)!, this.frames[Math.floor(this.frames.length / 2)]];
    const reads = others.map((other) => this.cache.load(other).catch(() => frame));
    void Promise.all(reads).then((found) => {
      const rooms = found.map(roomOfFrame);
      this.setRoom(rooms.reduce(around, this.room));
      if (this.frame) this.bodies.update(this.frame);
      if (!isTouched) this.resetCamera();
      this.reachForBodies();
      this.stage.redraw(true);
    });
  }

  private setRoom(room: Room | null): void {
    this.room = room;
    const { center, radius } = ballOf(room);
    this.stage.setRoom(new Vector3(...center), radius);
    this.bodies.floor.setRoom(new Vector3(...center), radius);
  }

  /** Bodies cast and catch shadows, too; but only so many, as the map of depths gets coarser. */
  private reachForBodies(): void {
    const { center, radius } = ballOf(this.room);
    const reach = this.bodies.reach(new Vector3(...center)) / radius;
    this.stage.shadowReach = Math.min(2.2, Math.max(1.15, reach));
  }

  private updateLooks(): void {
    const { objects } = this.appearance;
    const colors = this.coloring.by === "material" ? materialColors(objects) : objects.map(({ color }) => color);
    const texels = looks(objects, this.objectIsVisible, colors, this.usualRadii);
    this.shared.uniforms.uLooks.value.dispose();
    this.shared.uniforms.uLooks.value = looksTexture(texels);
    this.stage?.redraw();
  }

  /** Asks for frames that will be wanted soon. */
  private readAhead(): void {
    const places = this.playback.isPlaying ? this.playback.next(AHEAD) : this.isLoading ? [] : this.neighbors();
    this.cache.prefetch(places.map((place) => this.frames[place]));
  }

  /** The places next to the present one, for steps. */
  private neighbors(): number[] {
    const { place, count } = this.playback;
    return [place + 1, place - 1].filter((neighbor) => neighbor >= 0 && neighbor < count);
  }
}

function roomOfFrame(frame: Frame): Room | null {
  return around(roomOf(frame.points, 3), roomOf(frame.instances, 7));
}
