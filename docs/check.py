#!/usr/bin/env python3
"""Checks the documentation: links, anchors and code blocks of the Markdown files in the root folder and in docs/.

    docs/check.py                      everything, with target/release/fibra
    docs/check.py --links              links and info strings only; runs nothing
    docs/check.py docs/files.md ...    these pages only

A code block is checked by its info string:

    toml,scene      a complete scene: `fibra check`. On a tutorial page (docs/tutorials/NAME.md) it must be equal to NAME.toml,
                    and NAME.toml is run to its end: all expectations must hold
    toml,part       part of a scene: merged into a minimal scene of the fitting method, then `fibra check`
    sh              every command is run; `fibra run` with `--frames 4 --no-preview` unless it has `--frames`
    python, cpp     run; compiled
    rust            the page must be listed in crates/fibra/src/lib.rs, where rustdoc compiles and runs its blocks
    text, json      not checked; nor is any language with `manual` (`sh,manual`, `toml,manual`)

All blocks of a page run in page order in one temporary folder, with `fibra` on the PATH. The folder has copies of the files beside
the page, and each scene block under the file name that the text before it mentions last ("Save this as `my-scene.toml`").
Python blocks need numpy and safetensors. Errors are printed as file:line: message; the exit code is 1 if there are any.
"""

import argparse
import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
ROOT_PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "KNOWN_GAPS.md", "BENCHMARKS.md", "CHANGELOG.md"]
CHECKED = {"toml,scene", "toml,part", "sh", "python", "cpp", "rust"}
UNCHECKED = {"text", "json"}
# Longest time of one command [s].
TIMEOUT = 900


@dataclass
class Block:
    """A fenced code block; `line` is the line of its first line of code."""

    info: str
    line: int
    text: str
    before: str


@dataclass
class Page:
    """The parts of a Markdown file that are checked."""

    path: Path
    blocks: list = field(default_factory=list)
    links: list = field(default_factory=list)  # (line, target)
    anchors: set = field(default_factory=set)

    @property
    def name(self):
        return os.path.relpath(self.path, ROOT)


class Report:
    """Collects errors."""

    def __init__(self):
        self.errors = []

    def add(self, page, line, message):
        text = f"{page if isinstance(page, str) else page.name}:{line}: {message.rstrip()}"
        self.errors.append(text)
        print(text, file=sys.stderr, flush=True)


# ---------------------------------------------------------------- parsing


def slug(heading, taken):
    """Returns the anchor that mdBook and repository browsers make from a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # links: their text
    heading = re.sub(r"<[^>]*>", "", heading)
    text = "".join(c for c in heading.strip().lower() if c.isalnum() or c in " -_").replace(" ", "-")
    count = taken.get(text, 0)
    taken[text] = count + 1
    return text if count == 0 else f"{text}-{count}"


def without_code(line):
    """Replaces inline code by blanks, which keeps columns."""
    return re.sub(r"(`+)(.+?)\1", lambda m: " " * len(m.group(0)), line)


def parse(path, report):
    """Reads a page."""
    page = Page(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    definitions, references, taken = {}, [], {}
    fence = None
    paragraph = []
    for number, line in enumerate(lines, 1):
        if fence:
            mark, indent, block = fence
            stripped = line.strip()
            if stripped.startswith(mark) and not stripped.strip(mark[0]):
                block.text = "".join(text + "\n" for text in block.text)
                page.blocks.append(block)
                fence, paragraph = None, []
            else:
                block.text.append(line[indent:] if not line[:indent].strip() else line)
            continue
        opening = re.match(r"^(\s*)(`{3,}|~{3,})\s*([^`]*)$", line)
        if opening:
            before = "\n".join(paragraph[-8:])
            block = Block(opening.group(3).strip(), number + 1, [], before)
            fence = (opening.group(2), len(opening.group(1)), block)
            continue
        paragraph.append(line)
        heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            page.anchors.add(slug(heading.group(1), taken))
        page.anchors.update(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", line))
        text = without_code(line)
        definition = re.match(r"^\s{0,3}\[([^\]]+)\]:\s+(\S+)", text)
        if definition:
            definitions[definition.group(1).lower()] = definition.group(2)
            page.links.append((number, definition.group(2)))
            continue
        for target in re.findall(r"\]\(\s*<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)", text):
            page.links.append((number, target))
        for target in re.findall(r"<(?:img|a)\s[^>]*(?:src|href)=\"([^\"]+)\"", text):
            page.links.append((number, target))
        for label, key in re.findall(r"\[([^\[\]]+)\]\[([^\[\]]*)\]", text):
            references.append((number, (key or label).lower()))
    if fence:
        report.add(page, fence[2].line - 1, "this code block is not closed")
    for number, key in references:
        if key not in definitions:
            report.add(page, number, f"the link reference [{key}] is not defined")
    return page


# ---------------------------------------------------------------- links


def check_links(page, pages, report):
    """Checks that relative links lead to files of the repository and to existing anchors."""
    for line, target in page.links:
        if re.match(r"^[a-z][a-z0-9+.-]*:", target):
            if not re.match(r"^(https?://[^\s/]+|mailto:[^\s@]+@\S+)", target):
                report.add(page, line, f"`{target}` is not a valid address")
            continue
        file, _, anchor = target.partition("#")
        path = page.path if not file else (page.path.parent / unquote(file)).resolve()
        if not path.is_relative_to(ROOT):
            report.add(page, line, f"`{target}` leads outside the repository")
            continue
        if not path.exists():
            report.add(page, line, f"`{target}` leads to a missing file")
            continue
        if anchor and path.suffix == ".md":
            if path not in pages:
                pages[path] = parse(path, Report())
            if anchor not in pages[path].anchors:
                near = [a for a in sorted(pages[path].anchors) if anchor.replace("-", "") in a.replace("-", "")]
                hint = f"; did you mean #{near[0]}?" if near else ""
                report.add(page, line, f"`{target}`: {os.path.relpath(path, ROOT)} has no heading for #{anchor}{hint}")


def check_summary(pages, report):
    """Checks that docs/SUMMARY.md lists every page of the book once."""
    summary = ROOT / "docs/SUMMARY.md"
    if summary not in pages:
        return
    listed = [(summary.parent / target.partition("#")[0]).resolve() for _, target in pages[summary].links]
    for path in sorted(ROOT.glob("docs/**/*.md")):
        if path != summary and listed.count(path) != 1:
            times = "not listed" if path not in listed else "listed more than once"
            report.add(pages[summary], 1, f"{os.path.relpath(path, ROOT)} is {times} in the book's table of contents")


def check_infos(page, report):
    """Checks the info strings of code blocks, and that rustdoc includes pages with Rust blocks."""
    rust = next((block for block in page.blocks if block.info == "rust"), None)
    for block in page.blocks:
        known = block.info in CHECKED | UNCHECKED or "manual" in block.info.split(",")
        # For rustdoc a block without an info string is Rust.
        known |= block.info == "" and not rust
        if not known:
            kinds = ", ".join(sorted(CHECKED | UNCHECKED)) + ", or LANGUAGE,manual"
            report.add(page, block.line - 1, f"the info string `{block.info}` is not known; use {kinds}")
    library = ROOT / "crates/fibra/src/lib.rs"
    if rust and f'"../../../{page.name}"' not in library.read_text(encoding="utf-8"):
        report.add(page, rust.line - 1, f'rustdoc does not run this page: add "../../../{page.name}" to crates/fibra/src/lib.rs')


# ---------------------------------------------------------------- scenes

# A scene of each method, to which parts are added.
MINIMAL = {
    "mpm": {"mpm": {"dx": 0.02}},
    "rods": {"rods": {"spacing": 0.01}},
    "hair": {"hair": {}},
    "elastons": {"elastons": {"spacing": 0.02}},
}
MATERIAL_OF = {"mpm": ("sand", {}), "rods": ("rod", {}), "hair": ("hair", {}), "elastons": ("elastic", {})}
METHOD_OF_MATERIAL = {"rod": "rods", "rigid": "rods", "hair": "hair", "elastic": "elastons"}
TOP_KEYS = {
    "title", "method", "paper", "figure", "gravity", "time", "mpm", "rods", "hair", "elastons", "domain", "object", "collider",
    "blade", "camera", "expect", "preset",
}  # fmt: skip
COLLIDER_KEYS = {"motion", "contact", "friction"}


def shape_of(material, center):
    """Returns a shape for a material, far from the colliders of the part."""
    if material == "cloth":
        return {"sheet": {"center": center, "width": 0.4, "depth": 0.4}}
    if material in ("fiber", "rod"):
        x, y, z = center
        return {"strands": {"curves": [[[x, y, z], [x + 0.1, y, z], [x + 0.2, y, z]]]}}
    if material == "hair":
        return {"hairstyle": {"strands": 50}}
    return {"sphere": {"center": center, "radius": 0.1}}


def method_of(part):
    """Guesses the method of part of a scene."""
    if "method" in part:
        return part["method"]
    named = [method for method in MINIMAL if method in part]
    if named:
        return named[0]
    if "blade" in part:
        return "elastons"
    for object_ in objects_of(part):
        for material in object_.get("material", {}):
            return METHOD_OF_MATERIAL.get(material, "mpm")
        if "pull" in object_:
            return "rods"
        if {"hairstyle", "hair-file"} & set(object_.get("shape", {})):
            return "hair"
        if {"body", "sampling"} & set(object_):
            return "elastons"
    return "mpm"


def objects_of(part):
    """Returns the objects of part of a scene. Keys of an object may also be outside of an `[[object]]` table."""
    objects = part.get("object", [])
    objects = [objects] if isinstance(objects, dict) else objects
    loose = {key: value for key, value in part.items() if key not in TOP_KEYS}
    return objects + ([loose] if loose and not is_collider(loose) else [])


def is_collider(loose):
    """Returns whether keys outside of a table belong to a collider."""
    return "material" not in loose and bool(COLLIDER_KEYS & set(loose))


def merged(base, part):
    """Merges tables; values of `part` win."""
    if not (isinstance(base, dict) and isinstance(part, dict)):
        return copy.deepcopy(part)
    return {key: merged(base[key], part[key]) if key in base and key in part else copy.deepcopy(part.get(key, base.get(key)))
            for key in [*base, *(key for key in part if key not in base)]}  # fmt: skip


def complete(part):
    """Returns a complete scene that contains the part."""
    method = method_of(part)
    scene = {"title": "Part of a scene", "method": method, "time": {"frames": 2}, **copy.deepcopy(MINIMAL[method])}
    scene = merged(scene, {key: value for key, value in part.items() if key in TOP_KEYS - {"object"}})
    objects = objects_of(part) or [{}]
    domain = part.get("domain", {})
    center = [0.5 * (low + high) for low, high in zip(domain.get("min", [0, 10, 0]), domain.get("max", [0, 10, 0]))]
    scene["object"] = []
    for index, object_ in enumerate(objects):
        object_ = copy.deepcopy(object_)
        object_.setdefault("name", "ball" if index == 0 else f"object-{index}")
        if "material" not in object_:
            name, values = MATERIAL_OF[method]
            object_["material"] = {name: dict(values)}
        material = next(iter(object_["material"]), "")
        object_.setdefault("shape", shape_of(material, center))
        scene["object"].append(object_)
    loose = {key: value for key, value in part.items() if key not in TOP_KEYS}
    if loose and is_collider(loose):
        scene["collider"] = [merged({"name": "collider", "shape": {"sphere": {"center": [0, 0, 0], "radius": 0.1}}}, loose)]
    for index, collider in enumerate(scene.get("collider", [])):
        collider.setdefault("name", f"collider-{index}")
        collider.setdefault("shape", {"plane": {"point": [0, -10, 0], "normal": [0, 1, 0]}})
    return scene


def to_toml(value):
    """Formats a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{to_key(key)} = {to_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(to_toml(item) for item in value) + "]"
    return repr(value)


def to_key(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else to_toml(key)


def scene_text(scene):
    """Formats a scene: simple values first, then tables, one line each; lists of tables one line per entry."""
    lines = []
    for key, value in scene.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            lines.append(f"{to_key(key)} = [\n" + "".join(f"    {to_toml(item)},\n" for item in value) + "]")
        else:
            lines.append(f"{to_key(key)} = {to_toml(value)}")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- running


class Runner:
    """Runs the code blocks of pages."""

    def __init__(self, fibra, report, run_scenes):
        self.fibra, self.report, self.run_scenes = fibra, report, run_scenes
        self.compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        # The folder added to the PATH contains only `fibra`, so that no other program of the build folder is found.
        self.bin = tempfile.TemporaryDirectory()
        (Path(self.bin.name) / "fibra").symlink_to(fibra)
        self.environment = {**os.environ, "PATH": f"{self.bin.name}{os.pathsep}{os.environ['PATH']}"}

    def command(self, folder, command):
        """Runs a command. If it fails, returns its output."""
        try:
            done = subprocess.run(
                command, cwd=folder, env=self.environment, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"stopped after {TIMEOUT} s"
        if done.returncode == 0:
            return None
        tail = "\n    ".join(done.stdout.strip().splitlines()[-25:])
        return f"exit code {done.returncode}\n    {tail}"

    def page(self, page):
        """Runs all blocks of a page in one folder."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            if page.path.is_relative_to(ROOT / "docs"):
                for file in page.path.parent.iterdir():
                    if file.is_file() and file.suffix not in (".md", ".png"):
                        shutil.copy(file, folder)
            if page.path.parent == ROOT / "docs/tutorials":
                self.tutorial(page, folder)
            for block in page.blocks:
                kind = {"toml,scene": self.scene, "toml,part": self.part, "sh": self.shell, "python": self.python, "cpp": self.cpp}
                if block.info in kind:
                    kind[block.info](page, block, folder)

    def scene(self, page, block, folder):
        named = re.findall(r"`([\w-]+\.toml)`", block.before)
        name = named[-1] if named else "scene.toml"
        (folder / name).write_text(block.text, encoding="utf-8")
        problem = self.command(folder, ["fibra", "check", name])
        if problem:
            self.report.add(page, block.line, f"this scene is not valid: {problem}")

    def part(self, page, block, folder):
        try:
            part = tomllib.loads(block.text)
        except tomllib.TOMLDecodeError as error:
            self.report.add(page, block.line, f"this is not TOML: {error}")
            return
        text = scene_text(complete(part))
        (folder / "part.toml").write_text(text, encoding="utf-8")
        problem = self.command(folder, ["fibra", "check", "part.toml"])
        if problem:
            self.report.add(page, block.line, f"this part of a scene is not valid: {problem}\n    the scene it was merged into:\n{text}")

    def shell(self, page, block, folder):
        for line, command in commands(block):
            problem = self.command(folder, ["bash", "-e", "-o", "pipefail", "-c", with_options(command)])
            if problem:
                self.report.add(page, line, f"`{command}`: {problem}")

    def python(self, page, block, folder):
        (folder / "block.py").write_text(block.text, encoding="utf-8")
        problem = self.command(folder, [sys.executable, "block.py"])
        if problem:
            self.report.add(page, block.line, f"this Python block fails: {problem}")

    def cpp(self, page, block, folder):
        if not self.compiler:
            self.report.add(page, block.line, "there is no C++ compiler to compile this block")
            return
        (folder / "block.cpp").write_text(block.text, encoding="utf-8")
        problem = self.command(folder, [self.compiler, "-std=c++17", "-Wall", "-Werror", "-o", "block", "block.cpp"])
        if problem:
            self.report.add(page, block.line, f"this C++ block does not compile: {problem}")

    def tutorial(self, page, folder):
        """Compares the scene on a tutorial page with its file, and runs the file to its end."""
        file = page.path.with_suffix(".toml")
        scenes = [block for block in page.blocks if block.info == "toml,scene"]
        if not file.exists():
            if scenes:
                self.report.add(page, scenes[0].line, f"{os.path.relpath(file, ROOT)} is missing; it must be equal to this scene")
            return
        if not scenes:
            self.report.add(page, 1, f"the page must show {file.name} in a block `toml,scene`")
        expected = file.read_text(encoding="utf-8").strip().splitlines()
        shown = [block.text.strip().splitlines() for block in scenes]
        if scenes and expected not in shown:
            pairs = enumerate(zip(shown[0] + [""] * len(expected), expected + [""] * len(shown[0])))
            offset = next(number for number, (here, there) in pairs if here != there)
            here = (shown[0] + ["(end)"])[min(offset, len(shown[0]))]
            there = (expected + ["(end)"])[min(offset, len(expected))]
            line = scenes[0].line + min(offset, len(shown[0]))
            self.report.add(page, line, f"this differs from {file.name}:{offset + 1}:\n    page: {here}\n    file: {there}")
        if self.run_scenes:
            start = time.monotonic()
            problem = self.command(folder, ["fibra", "run", file.name, "-o", "out/whole", "--no-preview"])
            print(f"{os.path.relpath(file, ROOT)}: ran to its end in {time.monotonic() - start:.0f} s", flush=True)
            if problem:
                self.report.add(page, 1, f"`fibra run {file.name}`: {problem}")
            shutil.rmtree(folder / "out", ignore_errors=True)


def commands(block):
    """Yields the commands of a shell block with their lines; a command may continue over several lines."""
    pending, first = "", block.line
    for number, line in enumerate(block.text.splitlines(), block.line):
        if not pending:
            first = number
        pending += line + "\n"
        if not pending.strip() or pending.strip().startswith("#"):
            pending = ""
            continue
        # `bash -n` reports unclosed loops and strings, and warns of unclosed here-documents.
        syntax = subprocess.run(["bash", "-n", "-c", pending], capture_output=True, text=True)
        if line.endswith("\\") or syntax.returncode != 0 or syntax.stderr:
            continue
        yield first, pending.strip()
        pending = ""
    if pending.strip():
        yield first, pending.strip()


def with_options(command):
    """Makes the runs of a command short."""

    def shortened(match):
        run = match.group(0)
        return run if "--frames" in run or "--help" in run else f"{run.rstrip()} --frames 4 --no-preview "

    return re.sub(r"\bfibra run\b[^#;|&\n]*", shortened, command)


# ---------------------------------------------------------------- main


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, help="pages to check [default: all]")
    parser.add_argument("--fibra", type=Path, default=ROOT / "target/release/fibra", help="the program [default: %(default)s]")
    parser.add_argument("--links", action="store_true", help="check links and info strings only")
    parser.add_argument("--no-scenes", action="store_true", help="do not run the scenes of tutorials to their end")
    arguments = parser.parse_args()

    report = Report()
    every = [path for path in map(ROOT.joinpath, ROOT_PAGES) if path.exists()] + sorted(ROOT.glob("docs/**/*.md"))
    chosen = [path.resolve() for path in arguments.pages] or every
    for path in chosen:
        if not path.is_file():
            parser.error(f"there is no page {path}")
    pages = {path: parse(path, report if path in chosen else Report()) for path in {*every, *chosen}}
    for path in chosen:
        check_links(pages[path], pages, report)
        check_infos(pages[path], report)
    if not arguments.pages:
        check_summary(pages, report)
    if not arguments.links:
        fibra = arguments.fibra.resolve()
        if not os.access(fibra, os.X_OK):
            parser.error(f"there is no program {fibra}; build it or name it with --fibra")
        runner = Runner(fibra, report, not arguments.no_scenes)
        for path in chosen:
            start = time.monotonic()
            runner.page(pages[path])
            seconds = time.monotonic() - start
            if seconds > 1:
                print(f"{pages[path].name}: {len(pages[path].blocks)} code blocks, {seconds:.0f} s", flush=True)
    links = sum(len(pages[path].links) for path in chosen)
    blocks = sum(len(pages[path].blocks) for path in chosen)
    print(f"{len(chosen)} pages, {links} links, {blocks} code blocks: {len(report.errors)} errors")
    return 1 if report.errors else 0


if __name__ == "__main__":
    sys.exit(main())
