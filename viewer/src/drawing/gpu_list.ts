// Lists of numbers for shaders, as textures that are filled straight from a frame's arrays.

import { DataTexture, FloatType, NearestFilter, RedFormat, RedIntegerFormat, UnsignedIntType } from "three";
import { ROW_POINTS } from "../shaders/common";

/** A list with some numbers for each point. */
export class GpuList<T extends Float32Array | Uint32Array> {
  private data: T;
  private rows = 1;
  /** What shaders read; another one after the list has grown. */
  readonly uniform: { value: DataTexture };

  constructor(
    private readonly make: (length: number) => T,
    /** Numbers for each point. */
    private readonly width: 1 | 3,
  ) {
    this.data = make(width * ROW_POINTS);
    this.uniform = { value: this.texture() };
  }

  static reals(width: 1 | 3): GpuList<Float32Array> {
    return new GpuList((length) => new Float32Array(length), width);
  }

  static integers(): GpuList<Uint32Array> {
    return new GpuList((length) => new Uint32Array(length), 1);
  }

  /** The numbers for `count` points, to be written to; then call `upload`. */
  room(count: number): T {
    const rows = Math.max(1, Math.ceil(count / ROW_POINTS));
    if (rows !== this.rows) {
      this.rows = rows;
      this.data = this.make(this.width * rows * ROW_POINTS);
      this.uniform.value.dispose();
      this.uniform.value = this.texture();
    }
    return this.data.subarray(0, this.width * count) as T;
  }

  upload(): void {
    this.uniform.value.needsUpdate = true;
  }

  /** Copies the numbers of all points. */
  set(values: T): void {
    this.room(values.length / this.width).set(values);
    this.upload();
  }

  private texture(): DataTexture {
    const isReal = this.data instanceof Float32Array;
    const texture = new DataTexture(
      this.data,
      this.width * ROW_POINTS,
      this.rows,
      isReal ? RedFormat : RedIntegerFormat,
      isReal ? FloatType : UnsignedIntType,
    );
    texture.internalFormat = isReal ? "R32F" : "R32UI";
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.generateMipmaps = false;
    texture.unpackAlignment = 4;
    texture.needsUpdate = true;
    return texture;
  }
}
