// Bundles the page into one file, `dist/index.html`: script and style inside, nothing fetched from elsewhere.
// `node build.mjs` writes it; `node build.mjs --check` only says whether the committed one is current.

import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const MOST_BYTES = 1024 * 1024;

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

// A closing tag inside a text of the script would end the script.
const inScript = (script) => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

async function page() {
  const thread = await bundle("src/data/reading_thread.ts");
  const [shell, script, style, license] = await Promise.all([
    text("index.html"),
    bundle("src/main.ts", { READING_THREAD: JSON.stringify(thread) }),
    bundle("src/style.css"),
    text("node_modules/three/LICENSE"),
  ]);
  const parts = {
    "<!-- license -->": `<!--\nThis page contains three.js:\n\n${license.replaceAll("\r", "").trim()}\n-->`,
    "<!-- style -->": `<style>${style}</style>`,
    "<!-- script -->": `<script>${inScript(script)}</script>`,
  };
  return Object.entries(parts).reduce((html, [place, part]) => html.replace(place, () => part), shell);
}

const made = await page();
const size = Buffer.byteLength(made);
if (size > MOST_BYTES) {
  throw new Error(`the page has ${size} bytes, more than ${MOST_BYTES}`);
}
if (process.argv.includes("--check")) {
  const committed = await text("dist/index.html").catch(() => "");
  if (committed !== made) {
    console.error("viewer/dist/index.html is not what `npm run build` makes; run it and commit the result");
    process.exit(1);
  }
  console.log(`viewer/dist/index.html is current (${size} bytes)`);
} else {
  await mkdir(here("dist"), { recursive: true });
  await writeFile(here("dist/index.html"), made);
  console.log(`viewer/dist/index.html: ${size} bytes`);
}
