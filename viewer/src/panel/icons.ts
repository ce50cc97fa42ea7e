// SVG icons with a view box of 24 x 24 units.

const SHAPES = {
  play: "M7 4.5v15a1 1 0 0 0 1.5.86l12-7.5a1 1 0 0 0 0-1.72l-12-7.5A1 1 0 0 0 7 4.5z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  first: "M5 5h2.4v14H5zM19 5v14L9 12z",
  last: "M16.6 5H19v14h-2.4zM5 5v14l10-7z",
  back: "M14.5 5v14l-9-7zM16.5 5h2.4v14h-2.4z",
  next: "M9.5 5v14l9-7zM5.1 5h2.4v14H5.1z",
  loop: "M7 7h9v3l4.5-4L16 2v3H5v7h2zM17 17H8v-3l-4.5 4L8 22v-3h11v-7h-2z",
  follow: "M4 5l8 7-8 7zM13 5l8 7-8 7z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4zM9 9h6v6H9z",
  help: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 18a8 8 0 1 1 0-16 8 8 0 0 1 0 16zm-1-4h2v2h-2zm1-10a4 4 0 0 0-4 4h2a2 2 0 1 1 4 0c0 2-3 1.8-3 5h2c0-2.2 3-2.5 3-5a4 4 0 0 0-4-4z",
} as const;

export type IconName = keyof typeof SHAPES;

/** Creates an icon for a button. */
export function icon(name: IconName): SVGSVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}
