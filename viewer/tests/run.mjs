// Bundles the tests and runs them with Node's test runner: `node tests/run.mjs [unit|browser]`; runs both kinds by default.

import { build } from "esbuild";
import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const kinds = process.argv[2] ? [process.argv[2]] : ["unit", "browser"];
// Inside node_modules, so that the bundles resolve their packages.
const out = here("../node_modules/.cache/viewer-tests/");

const files = [];
for (const kind of kinds) {
  for (const name of await readdir(here(kind))) {
    if (name.endsWith(".test.ts")) files.push({ in: here(`${kind}/${name}`), out: `${kind}-${name.replace(/\.ts$/, "")}` });
  }
}
await rm(out, { recursive: true, force: true });
await build({
  entryPoints: files,
  outdir: out,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  outExtension: { ".js": ".mjs" },
  define: { VIEWER_ROOT: JSON.stringify(here("..")) },
});
const tests = files.map((file) => `${out}${file.out}.mjs`);
// One file at a time: the browser with software rendering uses all cores.
const runner = spawn(process.execPath, ["--test", "--test-concurrency=1", "--test-reporter=spec", ...tests], { stdio: "inherit" });
runner.on("exit", (code) => process.exit(code ?? 1));
