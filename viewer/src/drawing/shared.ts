// Uniforms that all materials share. Materials hold the same uniform objects, so one assignment updates all of them.

import { DataTexture, Matrix4, RawShaderMaterial, Vector2, Vector3, Vector4, GLSL3, type IUniform, type ShaderMaterialParameters, type Texture } from "three";
import { FloatType, NearestFilter, RGBAFormat, UnsignedByteType } from "three";
import { diverging, mapBytes, sequential, categorical, MAP_SIZE, type Rgb } from "../data/color_maps";
import { GpuList, TextureLayout } from "./gpu_list";
import { COLOR_MODE, PASS } from "../shaders/common";

/** Data of the frame and its colors on the graphics card. */
export class Shared {
  readonly layout = new TextureLayout();
  readonly points = GpuList.reals(3, this.layout);
  readonly normals = GpuList.reals(3, this.layout);
  readonly values = GpuList.reals(1, this.layout);
  readonly object = GpuList.integers(this.layout);
  readonly maps = {
    sequential: mapTexture(sequential),
    diverging: mapTexture(diverging),
    categories: mapTexture((t) => categorical(Math.round(t * (MAP_SIZE - 1)))),
  };

  readonly uniforms = {
    uPoints: this.points.uniform,
    uNormals: this.normals.uniform,
    uValues: this.values.uniform,
    uObject: this.object.uniform,
    uRowBits: this.layout.rowBits,
    uAppearance: uniform<Texture>(appearanceTexture(new Float32Array(12))),
    uMap: uniform<Texture>(this.maps.sequential),
    uColorMode: uniform<number>(COLOR_MODE.object),
    uRange: uniform(new Vector2(0, 1)),
    uResolution: uniform(new Vector2(1, 1)),
    uPointScale: uniform(1),
    uCurveScale: uniform(1),
    uDotPixels: uniform(2.5),
    uIsSphere: uniform(true),
    uPass: uniform<number>(PASS.image),
    uSun: uniform(new Vector3(0, 1, 0)),
    uSunColor: uniform(new Vector3()),
    uSkyColor: uniform(new Vector3()),
    uBounceColor: uniform(new Vector3()),
    uBackTop: uniform(new Vector3()),
    uBackHorizon: uniform(new Vector3()),
    uShadowMatrix: uniform(new Matrix4()),
    uShadow: uniform<Texture | null>(null),
    uShadowTexel: uniform(0),
    uShadowBias: uniform(0),
    uHasShadow: uniform(0),
    uToWorld: uniform(new Matrix4()),
  };

  /** Creates a material; `own` holds the uniforms that it does not share. */
  material(
    vertexShader: string,
    fragmentShader: string,
    own: Record<string, IUniform> = {},
    options: ShaderMaterialParameters = {},
  ): RawShaderMaterial {
    return new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader,
      fragmentShader,
      uniforms: { uKind: uniform(new Vector4(0, 0, 0, 1)), ...this.uniforms, ...own },
      ...options,
    });
  }
}

export function uniform<T>(value: T): { value: T } {
  return { value };
}

/** Creates a texture with three texels per object. */
export function appearanceTexture(texels: Float32Array): DataTexture {
  const texture = new DataTexture(texels, 3, texels.length / 12, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

function mapTexture(map: (t: number) => Rgb): DataTexture {
  const texture = new DataTexture(mapBytes(map), MAP_SIZE, 1, RGBAFormat, UnsignedByteType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}
