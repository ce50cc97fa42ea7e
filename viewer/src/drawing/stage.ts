// The renderer, the camera that the user moves, the sun and its shadows.

import { BufferGeometry, DepthTexture, LessEqualCompare, LinearFilter, Matrix4, Mesh, OrthographicCamera } from "three";
import { PerspectiveCamera, Scene, Vector3, WebGLRenderer, WebGLRenderTarget, UnsignedIntType, type Object3D } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { CameraPlace } from "../data/server";
import { PASS } from "../shaders/common";
import { backdropFragment, backdropVertex } from "../shaders/surfaces";
import { THEMES, type ThemeName } from "./theme";
import type { Shared } from "./shared";

/** Width of the sun's depth map [pixels]. */
const SHADOW_SIZE = 2048;

/** Direction from the scene to a camera that the scene does not place. */
const FROM = new Vector3(0.55, 0.4, 1).normalize();

/** Where the sun stands as seen by the first camera: to the left, high, and in front of the scene. */
const SUN = { aside: -0.55, up: 1.0, front: 0.5 };

const LENS_DEGREES = 35;

/** Pictures that the graphics card may be busy with; with more, the page would have to wait for it. */
const MOST_PENDING = 2;

/** Pixels of each kind in a mask. */
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
  readonly camera = new PerspectiveCamera(LENS_DEGREES, 1, 0.01, 100);
  readonly controls: OrbitControls;
  hasShadows = true;
  /** Pictures drawn so far. */
  pictures = 0;
  /** Called when the graphics card is lost, and when it is back. */
  onLoss: (isLost: boolean) => void = () => undefined;
  /** Reach of the shadows around the middle of the scene, over its size [-]. */
  shadowReach = 1.15;
  private readonly sun = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly shadow: WebGLRenderTarget;
  private readonly unlit: DepthTexture;
  private isShadowOld = true;
  private sparesShadows = false;
  private isPictureOld = true;
  /** One for each picture that the graphics card has not finished. */
  private readonly pending: WebGLSync[] = [];
  private readonly center = new Vector3();
  private radius = 1;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly shared: Shared,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: false, powerPreference: "high-performance" });
    // After the renderer's own listeners: it makes its textures anew, and all of them are empty.
    canvas.addEventListener("webglcontextlost", () => this.onLoss(true));
    canvas.addEventListener("webglcontextrestored", () => {
      this.redraw(true);
      this.onLoss(false);
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
    this.unlit = depthTexture(1);
    this.unlit.needsUpdate = true;
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

  /** What is drawn has changed: `moved` when its shadow has, too. */
  redraw(moved = false): void {
    this.isPictureOld = true;
    this.isShadowOld ||= moved;
  }

  /** Leaves shadows out for as long as the machine cannot keep up. */
  spareShadows(spares: boolean): void {
    if (spares !== this.sparesShadows) this.redraw(true);
    this.sparesShadows = spares;
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  /** Tells the size of the scene, by which depths and shadows are scaled. */
  setRoom(center: Vector3, radius: number): void {
    this.center.copy(center);
    this.radius = radius;
    this.camera.near = 0.005 * radius;
    this.camera.far = 120 * radius;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.02 * radius;
    this.controls.maxDistance = 40 * radius;
    this.redraw(true);
  }

  /** Looks from where the scene says. */
  look({ eye, target, fov_degrees: degrees }: CameraPlace): void {
    this.camera.fov = Math.min(170, Math.max(1, degrees));
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    this.arrive();
  }

  /** Looks at a ball so that all of it is seen; from the side it is seen from now, or from the front. */
  fit(center: Vector3, radius: number, keepSide: boolean): void {
    const from = keepSide ? this.camera.position.clone().sub(this.controls.target).normalize() : FROM;
    const vertical = (0.5 * this.camera.fov * Math.PI) / 180;
    const half = Math.min(vertical, Math.atan(Math.tan(vertical) * this.camera.aspect));
    this.camera.position.copy(center).addScaledVector(from, (1.05 * radius) / Math.sin(half));
    this.controls.target.copy(center);
    this.arrive();
  }

  /** Puts the sun where the present camera likes it. */
  placeSun(): void {
    const front = this.camera.position.clone().sub(this.controls.target).setY(0);
    if (front.lengthSq() === 0) front.set(0, 0, 1);
    front.normalize();
    const aside = new Vector3(front.z, 0, -front.x);
    const sun = new Vector3(0, SUN.up, 0).addScaledVector(aside, SUN.aside).addScaledVector(front, SUN.front);
    this.shared.uniforms.uSun.value.copy(sun.normalize());
    this.redraw(true);
  }

  /** Whether there is no graphics card, so that the processor draws. */
  get isWithoutCard(): boolean {
    const gl = this.renderer.getContext();
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    return /swiftshader|llvmpipe|softpipe|basic render/i.test(String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)));
  }

  /** Whether the graphics card has enough to do. */
  isBehind(): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    while (this.pending.length > 0 && gl.clientWaitSync(this.pending[0], 0, 0) !== gl.TIMEOUT_EXPIRED) {
      gl.deleteSync(this.pending.shift()!);
    }
    return this.pending.length >= MOST_PENDING;
  }

  /** Draws if anything has changed. */
  draw(): void {
    this.controls.update();
    if (!this.isPictureOld) return;
    this.isPictureOld = false;
    this.pictures += 1;
    this.drawShadow();
    this.drawPass(PASS.picture, null);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const done = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    // None when the context is lost.
    if (done) this.pending.push(done);
    gl.flush();
  }

  /** Counts the pixels that show points, segments, triangles and grains in a small view. */
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

  /** The present picture as RGBA bytes. */
  pixels(): Uint8Array {
    this.redraw();
    this.draw();
    const gl = this.renderer.getContext();
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const bytes = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return bytes;
  }

  private arrive(): void {
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.redraw();
  }

  private drawShadow(): void {
    const { uniforms } = this.shared;
    const isShaded = this.hasShadows && !this.sparesShadows;
    uniforms.uHasShadow.value = isShaded ? 1 : 0;
    if (!isShaded || !this.isShadowOld) return;
    this.isShadowOld = false;
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
    // A texture cannot be read while it is drawn to.
    uniforms.uShadow.value = this.unlit;
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
    uniforms.uShadow.value = this.hasShadows ? this.shadow.depthTexture : this.unlit;
    uniforms.uPass.value = pass;
    uniforms.uToWorld.value.copy(camera.matrixWorld).multiply(camera.projectionMatrixInverse);
    // Directions to the backdrop start at the eye.
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
