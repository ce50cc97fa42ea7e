// Helpers that create and style DOM elements.

type Child = Node | string | null | undefined | false;

/** Creates an element with properties and children. `role`, `style` and names with a dash are set as attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "style") element.setAttribute(name, String(value));
    else (element as unknown as Record<string, unknown>)[name] = value;
  }
  for (const child of children) {
    if (child) element.append(child);
  }
  return element;
}

/** The element with this id, which must exist. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Creates a collapsible section. */
export function section(title: string, isOpen: boolean, ...children: Child[]): HTMLDetailsElement {
  return h("details", { open: isOpen }, h("summary", {}, title), ...children);
}

/** Sets the background color through the DOM. The page's Content-Security-Policy allows this, but not a `style` attribute. */
export function withBackground<T extends HTMLElement>(element: T, color: string): T {
  element.style.background = color;
  return element;
}

/** Clears a canvas and matches its resolution to the screen. Returns its size in CSS pixels. */
export function fitToScreen(canvas: HTMLCanvasElement): { width: number; height: number; context: CanvasRenderingContext2D } {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const [w, h_] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h_) {
    canvas.width = w;
    canvas.height = h_;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { width, height, context };
}

/** The value of a color variable of the style sheet. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
