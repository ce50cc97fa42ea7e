// Elements without ceremony.

type Child = Node | string | null | undefined | false;

/** An element with properties and children; properties whose names have a dash become attributes. */
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

/** The element with this id, which the page is known to have. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A section that can be closed. */
export function section(title: string, isOpen: boolean, ...children: Child[]): HTMLDetailsElement {
  return h("details", { open: isOpen }, h("summary", {}, title), ...children);
}

/** A style in place, which the rules of a page against foreign styles allow on elements. */
export function painted<T extends HTMLElement>(element: T, color: string): T {
  element.style.background = color;
  return element;
}

/** Makes a canvas as sharp as the screen; gives its size in CSS pixels. */
export function sharpen(canvas: HTMLCanvasElement): { width: number; height: number; context: CanvasRenderingContext2D } {
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

/** A color of the style sheet by its name. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
