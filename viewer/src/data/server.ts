// What the server tells about the run, and the addresses of its files.

import type { Room } from "./room";

export type Vec3 = readonly [number, number, number];

/** Grains that are drawn in place of an object's points. */
export interface GrainAppearance {
  /** Extent along the grain's own axes [m]; the third is the long one of round grains. */
  readonly size: Vec3;
  readonly is_round: boolean;
}

/** How an object looks. */
export interface ObjectAppearance {
  readonly name: string;
  readonly material: string;
  /** Linear RGB. */
  readonly color: Vec3;
  /** Radius of a point [m]; 0 where points alone are not drawn. */
  readonly point_radius: number;
  /** Whether it is a ball that is seen to turn, by its attributes `rotation_x` to `rotation_w`. */
  readonly turns?: boolean;
  /** Radius of its curves [m]; none if the material does not say. */
  readonly curve_radius: number | null;
  /** Whether its surface is the skin of a volume, whose back is not seen. */
  readonly is_skin: boolean;
  readonly grain: GrainAppearance | null;
}

/** The shape of a body in its own frame [m]. */
export type BodyShape =
  | { readonly kind: "unseen" }
  | { readonly kind: "plane"; readonly normal: Vec3 }
  | { readonly kind: "ball"; readonly radius: number; readonly turns?: boolean }
  | { readonly kind: "capsule"; readonly half_height: number; readonly radius: number }
  | { readonly kind: "mesh" }
  | { readonly kind: "deforming" };

/** How a collider looks. */
export interface BodyAppearance {
  readonly name: string;
  /** Linear RGB. */
  readonly color: Vec3;
  readonly shape: BodyShape;
}

/** Where the scene is looked at from, in the world: frames count from the run's origin. */
export interface CameraPlace {
  readonly eye: Vec3;
  readonly target: Vec3;
  readonly fov_degrees: number;
}

/** Quantities of a run that share a plot. */
export interface QuantityGroup {
  /** Name and unit, as in `energy [J]`. */
  readonly title: string;
  /** The heading it is shown under. */
  readonly section: string;
  readonly is_logarithmic: boolean;
  /** The label of the sum, where members add up. */
  readonly total: string | null;
  readonly members: readonly { readonly quantity: string; readonly label: string }[];
}

/** What stays the same from frame to frame. */
export interface Appearance {
  /** The run that looks so. */
  readonly run?: string | undefined;
  readonly title: string;
  readonly method: string;
  /** Frames for each second of simulated time [1/s]. */
  readonly frames_per_second: number;
  readonly objects: readonly ObjectAppearance[];
  readonly bodies: readonly BodyAppearance[];
  readonly camera: CameraPlace | null;
  /** The box that the material keeps to, in the world, where the scene has one. */
  readonly domain?: Room | null;
  /** Which quantities are plotted together, in the order they are shown in. */
  readonly quantity_groups: readonly QuantityGroup[];
}

export type RunStatus = "running" | "done" | "interrupted" | "failed";

/** Quantities at one frame: `frame`, `time` [s] and the others by name. */
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

/** A claim of the scene about its end, measured. */
export interface Expectation {
  readonly name: string;
  readonly measured: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly pass: boolean;
}

/** The frames that are there. */
export interface FrameList {
  readonly status: RunStatus;
  readonly frames: readonly number[];
  /** Another one when another run has taken the folder; older servers do not tell. */
  readonly run?: string | undefined;
}

export const getAppearance = () => getJson<Appearance>("appearance.json");
export const getReport = () => getJson<RunReport>("run.json");

/** The frames that are there now, in order. */
export async function getFrames(): Promise<FrameList> {
  const { status, frames, run } = await getJson<FrameList>("frames.json");
  return { status, frames: Array.isArray(frames) ? frames : [], run };
}

/** Whether another run has taken the folder. Runs that go on keep their frames. */
export function isReplaced(before: FrameList, now: FrameList): boolean {
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
    throw new Error(`${address}: the server answers ${response.status}`);
  }
  return (await response.json()) as T;
}
