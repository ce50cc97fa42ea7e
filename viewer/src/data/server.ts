// Data that the server sends about the run, and the addresses of its files.

import type { Bounds } from "./bounds";

export type Vec3 = readonly [number, number, number];

/** Shape of the grains that replace an object's points. */
export interface GrainAppearance {
  /** Extent along the grain's local axes [m]; round grains are longest along the third. */
  readonly size: Vec3;
  readonly is_round: boolean;
}

/** Appearance of an object. */
export interface ObjectAppearance {
  readonly name: string;
  readonly material: string;
  /** Linear RGB. */
  readonly color: Vec3;
  /** Radius of a point [m]; 0 if the object's points are not drawn. */
  readonly point_radius: number;
  /** Whether the points are balls with a visible rotation, given by the attributes `rotation_x` to `rotation_w`. */
  readonly turns?: boolean;
  /** Radius of the object's curves [m]; null if the material does not define one. */
  readonly curve_radius: number | null;
  /** Whether the surface encloses a volume, so that its back is never visible. */
  readonly is_skin: boolean;
  readonly grain: GrainAppearance | null;
}

/** The shape of a body in local coordinates [m]. */
export type BodyShape =
  | { readonly kind: "unseen" }
  | { readonly kind: "plane"; readonly normal: Vec3 }
  | { readonly kind: "ball"; readonly radius: number; readonly turns?: boolean }
  | { readonly kind: "capsule"; readonly half_height: number; readonly radius: number }
  | { readonly kind: "mesh" }
  | { readonly kind: "deforming" };

/** Appearance of a collider. */
export interface BodyAppearance {
  readonly name: string;
  /** Linear RGB. */
  readonly color: Vec3;
  readonly shape: BodyShape;
}

/** Camera of the scene in world coordinates. Positions in frames are relative to the run's origin instead. */
export interface CameraView {
  readonly eye: Vec3;
  readonly target: Vec3;
  readonly fov_degrees: number;
}

/** Quantities that share a plot. */
export interface QuantityGroup {
  /** Name and unit, for example `energy [J]`. */
  readonly title: string;
  /** Heading above the plot. */
  readonly section: string;
  readonly is_logarithmic: boolean;
  /** Label of the sum of all members; null if the sum is not plotted. */
  readonly total: string | null;
  readonly members: readonly { readonly quantity: string; readonly label: string }[];
}

/** Data that is constant over the run. */
export interface Appearance {
  /** Identifier of the run. */
  readonly run?: string | undefined;
  readonly title: string;
  readonly method: string;
  /** Frames per second of simulated time [1/s]. */
  readonly frames_per_second: number;
  readonly objects: readonly ObjectAppearance[];
  readonly bodies: readonly BodyAppearance[];
  readonly camera: CameraView | null;
  /** The simulation domain in world coordinates, if the scene has one. */
  readonly domain?: Bounds | null;
  /** Groups of quantities, in display order. */
  readonly quantity_groups: readonly QuantityGroup[];
}

export type RunStatus = "running" | "done" | "interrupted" | "failed";

/** Quantities of one frame by name, including `frame` and `time` [s]. */
export type FrameQuantities = Readonly<Record<string, number | null>>;

/** The content of `run.json`. */
export interface RunReport {
  readonly fibra_version?: string;
  readonly scene?: string;
  readonly status?: RunStatus;
  readonly message?: string;
  readonly machine?: { readonly cpu: string; readonly threads: number; readonly os: string };
  readonly frames?: number;
  readonly steps?: number;
  readonly seconds?: number;
  readonly seconds_per_frame?: number;
  readonly items?: number;
  readonly peak_rss_bytes?: number;
  readonly stages?: Readonly<Record<string, number>>;
  readonly dt?: { readonly min: number; readonly max: number; readonly mean: number } | null;
  readonly quantities?: readonly FrameQuantities[];
  readonly expectations?: readonly Expectation[];
}

/** An expectation of the scene about the end of the run, with the measured value. */
export interface Expectation {
  readonly name: string;
  readonly measured: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly pass: boolean;
}

/** Status of the run and numbers of the frames written so far. */
export interface FrameList {
  readonly status: RunStatus;
  readonly frames: readonly number[];
  /** Identifier of the run; it changes if a new run replaces the folder. Older servers do not send it. */
  readonly run?: string | undefined;
}

export const getAppearance = () => getJson<Appearance>("appearance.json");
export const getReport = () => getJson<RunReport>("run.json");

/** Requests the current list of frames, in ascending order. */
export async function getFrames(): Promise<FrameList> {
  const { status, frames, run } = await getJson<FrameList>("frames.json");
  return { status, frames: Array.isArray(frames) ? frames : [], run };
}

/** Whether a new run has replaced the folder. A resumed run keeps its frames. */
export function isOtherRun(before: FrameList, now: FrameList): boolean {
  const isOther = before.run !== undefined && now.run !== undefined && before.run !== now.run;
  return isOther || now.frames.length < before.frames.length;
}

export const frameAddress = (frame: number) => `frames/${digits(frame)}.safetensors`;
export const bodyAddress = (body: number) => `bodies/${body}.safetensors`;
export const bodyFrameAddress = (body: number, frame: number) => `bodies/${body}/${digits(frame)}.safetensors`;

const digits = (frame: number) => String(frame).padStart(4, "0");

async function getJson<T>(address: string): Promise<T> {
  const response = await fetch(address, { cache: "no-store" });
  if (!response.ok) {
    throw new Error(`${address}: the server returned status ${response.status}`);
  }
  return (await response.json()) as T;
}
