// Lists of numbers for shaders, as textures that are filled straight from a frame's arrays.

import { DataTexture, FloatType, NearestFilter, RedFormat, RedIntegerFormat, UnsignedIntType } from "three";

/** Most numbers for a point. */
const WIDEST = 3;

/** How lists lie in textures: rows of a power of two of points, as long as the graphics card allows. */
export class TextureLayout {
  /** For shaders: points in a row, as a power of two. */
  readonly rowBits = { value: 0 };
  private mostRows = 0;

  /** `mostTexels`: how wide and how high textures may be. */
  constructor(mostTexels = 2048) {
    this.fit(mostTexels);
  }

  /** To be called before lists are filled. */
  fit(mostTexels: number): void {
    this.rowBits.value = Math.floor(Math.log2(mostTexels / WIDEST));
    this.mostRows = mostTexels;
  }

  get rowPoints(): number {
    return 2 ** this.rowBits.value;
  }

  /** Rows for some points; fails if there are too many. */
  rows(points: number): number {
    const rows = Math.max(1, Math.ceil(points / this.rowPoints));
    if (rows > this.mostRows) {
      const most = this.mostRows * this.rowPoints;
      throw new Error(`it has ${points} points, and this graphics card can draw ${most} at most`);
    }
    return rows;
  }
}

/** A list with some numbers for each point. */
export class GpuList<T extends Float32Array | Uint32Array> {
  private data: T;
  /** None before it is filled; there is a texture of one point all the same. */
  private rows = 0;
  /** What shaders read; another one after the list has grown. */
  readonly uniform: { value: DataTexture };

  constructor(
    private readonly make: (length: number) => T,
    /** Numbers for each point. */
    private readonly width: 1 | typeof WIDEST,
    private readonly layout: TextureLayout,
  ) {
    this.data = make(width);
    this.uniform = { value: this.texture(1, 1) };
  }

  static reals(width: 1 | typeof WIDEST, layout: TextureLayout): GpuList<Float32Array> {
    return new GpuList((length) => new Float32Array(length), width, layout);
  }

  static integers(layout: TextureLayout): GpuList<Uint32Array> {
    return new GpuList((length) => new Uint32Array(length), 1, layout);
  }

  /** The numbers for `count` points, to be written to; then call `upload`. */
  room(count: number): T {
    const rows = this.layout.rows(count);
    if (rows !== this.rows) {
      const { rowPoints } = this.layout;
      this.rows = rows;
      this.data = this.make(this.width * rows * rowPoints);
      this.uniform.value.dispose();
      this.uniform.value = this.texture(rowPoints, rows);
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
