// Arrays for shaders, stored in textures that are filled directly from a frame's arrays.

import { DataTexture, FloatType, NearestFilter, RedFormat, RedIntegerFormat, UnsignedIntType } from "three";

/** Maximum number of values per point. */
const MAX_WIDTH = 3;

/** Layout of arrays in textures. The number of points per row is the largest power of two that the graphics card allows. */
export class TextureLayout {
  /** Uniform: base-2 logarithm of the number of points per row. */
  readonly rowBits = { value: 0 };
  private maxRows = 0;

  /** `maxTexels`: maximum width and height of a texture. */
  constructor(maxTexels = 2048) {
    this.fit(maxTexels);
  }

  /** Sets the maximum texture size. Must be called before arrays are filled. */
  fit(maxTexels: number): void {
    this.rowBits.value = Math.floor(Math.log2(maxTexels / MAX_WIDTH));
    this.maxRows = maxTexels;
  }

  get rowPoints(): number {
    return 2 ** this.rowBits.value;
  }

  /** Number of rows for `points`; throws if there are too many points. */
  rows(points: number): number {
    const rows = Math.max(1, Math.ceil(points / this.rowPoints));
    if (rows > this.maxRows) {
      const maxPoints = this.maxRows * this.rowPoints;
      throw new Error(`it has ${points} points, but this graphics card can draw at most ${maxPoints}`);
    }
    return rows;
  }
}

/** An array with `width` values per point. */
export class GpuList<T extends Float32Array | Uint32Array> {
  private data: T;
  /** Number of texture rows; 0 before the first use, when the texture holds one placeholder texel. */
  private rows = 0;
  /** Texture uniform for shaders; its texture is replaced when the number of rows changes. */
  readonly uniform: { value: DataTexture };

  constructor(
    private readonly allocate: (length: number) => T,
    /** Number of values per point. */
    private readonly width: 1 | typeof MAX_WIDTH,
    private readonly layout: TextureLayout,
  ) {
    this.data = allocate(width);
    this.uniform = { value: this.texture(1, 1) };
  }

  static reals(width: 1 | typeof MAX_WIDTH, layout: TextureLayout): GpuList<Float32Array> {
    return new GpuList((length) => new Float32Array(length), width, layout);
  }

  static integers(layout: TextureLayout): GpuList<Uint32Array> {
    return new GpuList((length) => new Uint32Array(length), 1, layout);
  }

  /** Returns the array for `count` points. Call `upload` after writing to it. */
  reserve(count: number): T {
    const rows = this.layout.rows(count);
    if (rows !== this.rows) {
      const { rowPoints } = this.layout;
      this.rows = rows;
      this.data = this.allocate(this.width * rows * rowPoints);
      this.uniform.value.dispose();
      this.uniform.value = this.texture(rowPoints, rows);
    }
    return this.data.subarray(0, this.width * count) as T;
  }

  upload(): void {
    this.uniform.value.needsUpdate = true;
  }

  /** Copies and uploads the values of all points. */
  set(values: T): void {
    this.reserve(values.length / this.width).set(values);
    this.upload();
  }

  private texture(rowPoints: number, rows: number): DataTexture {
    const isReal = this.data instanceof Float32Array;
    const texture = new DataTexture(
      this.data,
      this.width * rowPoints,
      rows,
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
