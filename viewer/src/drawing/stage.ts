// The renderer, the interactive camera, the sun and its shadows.

import { BufferGeometry, DepthTexture, LessEqualCompare, LinearFilter, Matrix4, Mesh, OrthographicCamera } from "three";
import { PerspectiveCamera, Scene, Vector3, WebGLRenderer, WebGLRenderTarget, UnsignedIntType, type Object3D } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { CameraView } from "../data/server";
import { PASS } from "../shaders/common";
import { backdropFragment, backdropVertex } from "../shaders/surfaces";
import { THEMES, type ThemeName } from "./theme";
import type { Shared } from "./shared";

/** Width of the shadow map [pixels]. */
const SHADOW_SIZE = 2048;

/** Direction from the scene to the camera, for scenes without a camera. */
const DEFAULT_DIRECTION = new Vector3(0.55, 0.4, 1).normalize();

/** Direction of the sun relative to the initial camera: left, up, and toward the camera. */
const SUN = { right: -0.55, up: 1.0, front: 0.5 };

const DEFAULT_FOV_DEGREES = 35;

/** Maximum number of images queued on the graphics card; more would block the page. */
const MAX_PENDING = 2;

/** Number of pixels that show each kind of primitive. */
export interface Mask {
  points: number;
  segments: number;
  triangles: number;
  grains: number;
}

/** Draws the scene. */
export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(DEFAULT_FOV_DEGREES, 1, 0.01, 100);
  readonly controls: OrbitControls;
  hasShadows = true;
  /** Number of images rendered so far. */
  imageCount = 0;
  /** Called when the WebGL context is lost (true) or restored (false). */
  onContextLoss: (isLost: boolean) => void = () => undefined;
  /** Half the width of the shadow map relative to the radius of the scene [-]. */
  shadowReach = 1.15;
  private readonly sun = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly shadow: WebGLRenderTarget;
  private readonly emptyShadow: DepthTexture;
  private needsShadowUpdate = true;
  private areShadowsSuspended = false;
  private needsRedraw = true;
  /** A sync object for each image that the graphics card has not finished. */
  private readonly pending: WebGLSync[] = [];
  private readonly center = new Vector3();
  private radius = 1;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly shared: Shared,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: false, powerPreference: "high-performance" });
    // Registered after the renderer's own listeners, which recreate all textures empty.
    canvas.addEventListener("webglcontextlost", () => this.onContextLoss(true));
    canvas.addEventListener("webglcontextrestored", () => {
      this.redraw(true);
      this.onContextLoss(false);
    });
    this.renderer.sortObjects = false;
    this.renderer.autoClear = false;
    shared.layout.fit(this.renderer.capabilities.maxTextureSize);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.redraw());
    this.camera.layers.enable(1);
    this.shadow = new WebGLRenderTarget(SHADOW_SIZE, SHADOW_SIZE, { depthTexture: depthTexture(SHADOW_SIZE) });
    this.emptyShadow = depthTexture(1);
    this.emptyShadow.needsUpdate = true;
    shared.uniforms.uShadowTexel.value = 1 / SHADOW_SIZE;
    this.scene.add(backdrop(shared));
  }

  add(...objects: Object3D[]): void {
    this.scene.add(...objects);
  }

  setTheme(name: ThemeName): void {
    const theme = THEMES[name];
    const { uSunColor, uSkyColor, uBounceColor, uBackTop, uBackHorizon } = this.shared.uniforms;
    uSunColor.value.set(...theme.sun);
    uSkyColor.value.set(...theme.sky);
    uBounceColor.value.set(...theme.bounce);
    uBackTop.value.set(...theme.backTop);
    uBackHorizon.value.set(...theme.backHorizon);
    this.redraw();
  }

  /** Requests a new image; `shadows` requests a new shadow map as well. */
  redraw(shadows = false): void {
    this.needsRedraw = true;
    this.needsShadowUpdate ||= shadows;
  }

  /** Turns shadows off temporarily while rendering is too slow. */
  suspendShadows(isSuspended: boolean): void {
    if (isSuspended !== this.areShadowsSuspended) this.redraw(true);
    this.areShadowsSuspended = isSuspended;
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  /** Sets the bounding sphere of the scene, which determines clipping planes, zoom limits and shadows. */
  setBounds(center: Vector3, radius: number): void {
    this.center.copy(center);
    this.radius = radius;
    this.camera.near = 0.005 * radius;
    this.camera.far = 120 * radius;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.02 * radius;
    this.controls.maxDistance = 40 * radius;
    this.redraw(true);
  }

  /** Sets the camera. */
  setCamera({ eye, target, fov_degrees: degrees }: CameraView): void {
    this.camera.fov = Math.min(170, Math.max(1, degrees));
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    this.applyCamera();
  }

  /** Moves the camera so that a sphere fits into the view, from the current or from the default direction. */
  fit(center: Vector3, radius: number, keepDirection: boolean): void {
    const direction = keepDirection ? this.camera.position.clone().sub(this.controls.target).normalize() : DEFAULT_DIRECTION;
    const vertical = (0.5 * this.camera.fov * Math.PI) / 180;
    const half = Math.min(vertical, Math.atan(Math.tan(vertical) * this.camera.aspect));
    this.camera.position.copy(center).addScaledVector(direction, (1.05 * radius) / Math.sin(half));
    this.controls.target.copy(center);
    this.applyCamera();
  }

  /** Places the sun relative to the current camera. */
  placeSun(): void {
    const front = this.camera.position.clone().sub(this.controls.target).setY(0);
    if (front.lengthSq() === 0) front.set(0, 0, 1);
    front.normalize();
    const right = new Vector3(front.z, 0, -front.x);
    const sun = new Vector3(0, SUN.up, 0).addScaledVector(right, SUN.right).addScaledVector(front, SUN.front);
    this.shared.uniforms.uSun.value.copy(sun.normalize());
    this.redraw(true);
  }

  /** Whether the browser renders in software. */
  get isSoftwareRendered(): boolean {
    const gl = this.renderer.getContext();
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    return /swiftshader|llvmpipe|softpipe|basic render/i.test(String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)));
  }

  /** Whether the queue of the graphics card is full. */
  isBehind(): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    while (this.pending.length > 0 && gl.clientWaitSync(this.pending[0], 0, 0) !== gl.TIMEOUT_EXPIRED) {
      gl.deleteSync(this.pending.shift()!);
    }
    return this.pending.length >= MAX_PENDING;
  }

  /** Renders an image if anything has changed. */
  draw(): void {
    this.controls.update();
    if (!this.needsRedraw) return;
    this.needsRedraw = false;
    this.imageCount += 1;
    this.drawShadow();
    this.drawPass(PASS.image, null);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const done = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    // `fenceSync` returns null if the context is lost.
    if (done) this.pending.push(done);
    gl.flush();
  }

  /** Counts the pixels that show points, segments, triangles and grains in a view of the given size. */
  mask(width: number, height: number): Mask {
    const target = new WebGLRenderTarget(width, height);
    this.drawPass(PASS.mask, target, width, height);
    const pixels = new Uint8Array(4 * width * height);
    this.renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
    this.renderer.setRenderTarget(null);
    target.dispose();
    const counts: Mask = { points: 0, segments: 0, triangles: 0, grains: 0 };
    for (let k = 0; k < pixels.length; k += 4) {
      const [red, green, blue] = [pixels[k] > 127, pixels[k + 1] > 127, pixels[k + 2] > 127];
      if (red && green) counts.grains += 1;
      else if (red) counts.points += 1;
      else if (green) counts.segments += 1;
      else if (blue) counts.triangles += 1;
    }
    return counts;
  }

  /** Renders an image and returns it as RGBA bytes. */
  pixels(): Uint8Array {
    this.redraw();
    this.draw();
    const gl = this.renderer.getContext();
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const bytes = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes;
  }

  private applyCamera(): void {
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.redraw();
  }

  private drawShadow(): void {
    const { uniforms } = this.shared;
    const isShaded = this.hasShadows && !this.areShadowsSuspended;
    uniforms.uHasShadow.value = isShaded ? 1 : 0;
    if (!isShaded || !this.needsShadowUpdate) return;
    this.needsShadowUpdate = false;
    const reach = this.shadowReach * this.radius;
    const { sun } = this;
    sun.left = sun.bottom = -reach;
    sun.right = sun.top = reach;
    sun.near = 0;
    sun.far = 6 * reach;
    sun.position.copy(this.center).addScaledVector(uniforms.uSun.value, 3 * reach);
    sun.lookAt(this.center);
    sun.updateProjectionMatrix();
    sun.updateMatrixWorld();
    uniforms.uShadowBias.value = (3 * reach) / SHADOW_SIZE;
    // A texture cannot be sampled while it is the render target.
    uniforms.uShadow.value = this.emptyShadow;
    uniforms.uResolution.value.set(SHADOW_SIZE, SHADOW_SIZE);
    uniforms.uPass.value = PASS.shadow;
    this.renderer.setRenderTarget(this.shadow);
    this.renderer.clear();
    this.renderer.render(this.scene, sun);
    this.renderer.setRenderTarget(null);
    const toTexture = new Matrix4().set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1);
    uniforms.uShadowMatrix.value.copy(toTexture).multiply(sun.projectionMatrix).multiply(sun.matrixWorldInverse);
  }

  private drawPass(pass: number, target: WebGLRenderTarget | null, width = 0, height = 0): void {
    const { uniforms } = this.shared;
    const { camera } = this;
    camera.updateMatrixWorld();
    uniforms.uShadow.value = this.hasShadows ? this.shadow.depthTexture : this.emptyShadow;
    uniforms.uPass.value = pass;
    uniforms.uToWorld.value.copy(camera.matrixWorld).multiply(camera.projectionMatrixInverse);
    // The background shader needs directions relative to the camera.
    uniforms.uToWorld.value.premultiply(new Matrix4().makeTranslation(camera.position.clone().negate()));
    if (target) uniforms.uResolution.value.set(width, height);
    else this.renderer.getDrawingBufferSize(uniforms.uResolution.value);
    this.renderer.setRenderTarget(target);
    this.renderer.setClearColor(0x000000, target ? 0 : 1);
    this.renderer.clear();
    this.renderer.render(this.scene, camera);
  }
}

function depthTexture(size: number): DepthTexture {
  const texture = new DepthTexture(size, size, UnsignedIntType);
  texture.compareFunction = LessEqualCompare;
  texture.minFilter = texture.magFilter = LinearFilter;
  return texture;
}

function backdrop(shared: Shared): Mesh {
  const triangle = new BufferGeometry().setIndex([0, 1, 2]);
  const options = { depthTest: false, depthWrite: false };
  const mesh = new Mesh(triangle, shared.material(backdropVertex, backdropFragment, {}, options));
  mesh.frustumCulled = false;
  mesh.renderOrder = -1;
  return mesh;
}
