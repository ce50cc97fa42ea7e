// Bundles the page into one self-contained file, `dist/index.html`, with inline script and style.
// `node build.mjs` writes the file; `node build.mjs --check` fails if the committed file is out of date.

import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const MAX_BYTES = 1024 * 1024;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const text = (path) => readFile(here(path), "utf8");

async function bundle(entry, define = {}) {
  const result = await build({
    entryPoints: [here(entry)],
    absWorkingDir: here("."),
    bundle: true,
    define,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
}

// A closing tag inside a string literal would end the script element.
const inScript = (script) => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

async function page() {
  const worker = await bundle("src/data/read_worker.ts");
  const [shell, script, style, license] = await Promise.all([
    text("index.html"),
    bundle("src/main.ts", { READ_WORKER: JSON.stringify(worker) }),
    bundle("src/style.css"),
    text("node_modules/three/LICENSE"),
  ]);
  const parts = {
    "<!-- license -->": `<!--\nThis page contains three.js:\n\n${license.replaceAll("\r", "").trim()}\n-->`,
    "<!-- style -->": `<style>${style}</style>`,
    "<!-- script -->": `<script>${inScript(script)}</script>`,
  };
  return Object.entries(parts).reduce((html, [marker, part]) => html.replace(marker, () => part), shell);
}

const html = await page();
const size = Buffer.byteLength(html);
if (size > MAX_BYTES) {
  throw new Error(`the page has ${size} bytes; at most ${MAX_BYTES} are allowed`);
}
if (process.argv.includes("--check")) {
  const committed = await text("dist/index.html").catch(() => "");
  if (committed !== html) {
    console.error("viewer/dist/index.html is out of date: run `npm run build` in viewer/ and commit the result");
    process.exit(1);
  }
  console.log(`viewer/dist/index.html is current (${size} bytes)`);
} else {
  await mkdir(here("dist"), { recursive: true });
  await writeFile(here("dist/index.html"), html);
  console.log(`viewer/dist/index.html: ${size} bytes`);
}
