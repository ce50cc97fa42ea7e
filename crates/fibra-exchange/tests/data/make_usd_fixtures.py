"""Writes the USD test files beside this script, and prints the values that Pixar's library reads from them.

Requires Pixar's library: `pip install usd-core`. `tests/formats/usd.rs` compares the values, stored in `expected.json`, with those of our reader.
"""

import json
import os
import struct

from pxr import Gf, Sdf, Usd, UsdGeom

HERE = os.path.dirname(os.path.abspath(__file__))

CUBE = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
FACES = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 2, 3, 7, 6, 0, 4, 7, 3, 1, 2, 6, 5]


def path(name):
    return os.path.join(HERE, name)


def stage(name, up="Y", meters=1.0):
    made = Usd.Stage.CreateNew(path(name))
    UsdGeom.SetStageUpAxis(made, up)
    UsdGeom.SetStageMetersPerUnit(made, meters)
    return made


def cube(made, where):
    mesh = UsdGeom.Mesh.Define(made, where)
    mesh.CreatePointsAttr(CUBE)
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    mesh.CreateFaceVertexIndicesAttr(FACES)
    mesh.CreateSubdivisionSchemeAttr("none")
    return mesh


def animated(kind):
    """Writes a deforming mesh below animated transforms, with Z up and in centimeters."""
    made = stage(f"animated.{kind}", "Z", 0.01)
    made.SetTimeCodesPerSecond(24)
    made.SetStartTimeCode(1)
    made.SetEndTimeCode(5)
    world = UsdGeom.Xform.Define(made, "/World")
    translate = world.AddTranslateOp()
    translate.Set(Gf.Vec3d(0, 0, 0), 1)
    translate.Set(Gf.Vec3d(40, 0, 8), 5)
    arm = UsdGeom.Xform.Define(made, "/World/Arm")
    arm.AddTranslateOp(opSuffix="pivot").Set(Gf.Vec3d(1, 2, 3))
    turn = arm.AddRotateXYZOp()
    turn.Set(Gf.Vec3f(0, 0, 0), 1)
    turn.Set(Gf.Vec3f(20, 40, 90), 5)
    arm.AddTranslateOp(opSuffix="pivot", isInverseOp=True)
    mesh = cube(made, "/World/Arm/Cube")
    points = mesh.GetPointsAttr()
    points.Set(CUBE, 1)
    points.Set([(x, 2 * y, z + x) for x, y, z in CUBE], 3)
    spin = mesh.AddOrientOp()
    spin.Set(Gf.Quatf(1, 0, 0, 0), 1)
    spin.Set(Gf.Quatf(0, 0, 1, 0), 4)
    mesh.AddScaleOp().Set(Gf.Vec3f(1, 2, -3))
    made.Save()


def curves(kind):
    """Writes one prim of curves for each basis and wrap mode."""
    made = stage(f"curves.{kind}")
    UsdGeom.Xform.Define(made, "/Hair")
    zigzag = [(i, i % 2, 0.25 * i * i) for i in range(7)]
    kinds = [("linear", None, "nonperiodic"), ("linear", None, "periodic")]
    kinds += [("cubic", basis, wrap) for basis in ("bspline", "catmullRom") for wrap in ("nonperiodic", "periodic", "pinned")]
    kinds += [("cubic", "bezier", "nonperiodic"), ("cubic", "bezier", "periodic")]
    for index, (sort, basis, wrap) in enumerate(kinds):
        prim = UsdGeom.BasisCurves.Define(made, f"/Hair/{sort}_{basis or 'none'}_{wrap}")
        prim.CreateTypeAttr(sort)
        if basis:
            prim.CreateBasisAttr(basis)
        prim.CreateWrapAttr(wrap)
        count = 6 if basis == "bezier" and wrap == "periodic" else 7
        prim.CreateCurveVertexCountsAttr([count])
        prim.CreatePointsAttr(zigzag[:count])
        prim.CreateWidthsAttr([0.01])
        prim.AddTranslateOp().Set(Gf.Vec3d(0, 0, 20 * index))
    made.Save()


def arcs():
    """Writes a stage with sublayers, references with a time offset, payloads, variants, inherits, and an invisible mesh."""
    part = stage("part.usdc")
    part.SetTimeCodesPerSecond(24)
    made = UsdGeom.Xform.Define(part, "/Part")
    part.SetDefaultPrim(made.GetPrim())
    mesh = cube(part, "/Part/Cube")
    move = mesh.AddTranslateOp()
    move.Set(Gf.Vec3d(0, 0, 0), 0)
    move.Set(Gf.Vec3d(0, 10, 0), 10)
    part.Save()

    below = stage("below.usda")
    below.SetTimeCodesPerSecond(24)
    UsdGeom.Xform.Define(below, "/World").AddTranslateOp().Set(Gf.Vec3d(0, 0, 7))
    extra = UsdGeom.Xform.Define(below, "/World/Loaded")
    extra.AddTranslateOp().Set(Gf.Vec3d(-5, 0, 0))
    extra.GetPrim().GetPayloads().AddPayload("./part.usdc")
    below.Save()

    made = stage("arcs.usda")
    made.SetTimeCodesPerSecond(24)
    made.SetStartTimeCode(0)
    made.SetEndTimeCode(20)
    made.GetRootLayer().subLayerPaths.append("./below.usda")
    shared = made.CreateClassPrim("/_shared")
    UsdGeom.Xformable(UsdGeom.Xform(shared)).AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
    made.OverridePrim("/World")
    seen = made.DefinePrim("/World/Seen")
    seen.GetReferences().AddReference("./part.usdc", Sdf.LayerOffset(4, 2))
    seen.GetInherits().AddInherit("/_shared")
    variants = made.DefinePrim("/World/Choice").GetVariantSets().AddVariantSet("side")
    for name, x in (("left", -20), ("right", 20)):
        variants.AddVariant(name)
        variants.SetVariantSelection(name)
        with variants.GetVariantEditContext():
            mesh = cube(made, "/World/Choice/Cube")
            mesh.AddTranslateOp().Set(Gf.Vec3d(x, 0, 0))
    variants.SetVariantSelection("left")
    cube(made, "/World/Hidden").CreateVisibilityAttr("invisible")
    made.Save()


def rates():
    """Writes nested sublayers with different time codes per second."""
    deep = stage("rates_deep.usda")
    # A layer without `timeCodesPerSecond` uses its `framesPerSecond`.
    deep.SetFramesPerSecond(12)
    points = UsdGeom.Mesh(deep.OverridePrim("/World/Cube")).CreatePointsAttr()
    points.Set(CUBE, 0)
    points.Set([(x, 3 * y, z) for x, y, z in CUBE], 6)
    deep.Save()

    below = stage("rates_below.usda")
    below.SetTimeCodesPerSecond(48)
    move = UsdGeom.Mesh(below.OverridePrim("/World/Cube")).AddTranslateOp()
    move.Set(Gf.Vec3d(0, 0, 0), 0)
    move.Set(Gf.Vec3d(8, 0, 0), 16)
    below.GetRootLayer().subLayerPaths.append("./rates_deep.usda")
    below.GetRootLayer().subLayerOffsets[0] = Sdf.LayerOffset(-2, 0.5)
    below.Save()

    made = stage("rates.usda")
    made.SetTimeCodesPerSecond(24)
    made.SetStartTimeCode(0)
    made.SetEndTimeCode(30)
    UsdGeom.Xform.Define(made, "/World")
    mesh = UsdGeom.Mesh.Define(made, "/World/Cube")
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    mesh.CreateFaceVertexIndicesAttr(FACES)
    made.GetRootLayer().subLayerPaths.append("./rates_below.usda")
    made.GetRootLayer().subLayerOffsets[0] = Sdf.LayerOffset(3, 2)
    made.Save()


def clips():
    """Writes one file per frame, combined by value clips."""
    for frame in range(4):
        clip = stage(f"clip.{frame}.usdc")
        mesh = UsdGeom.Mesh(clip.OverridePrim("/Run/Cloth"))
        mesh.CreatePointsAttr().Set([(x, y + frame, z * (1 + frame)) for x, y, z in CUBE], frame)
        clip.Save()
    manifest = stage("clip.manifest.usda")
    UsdGeom.Mesh(manifest.OverridePrim("/Run/Cloth")).CreatePointsAttr()
    manifest.Save()
    for name, template in (("clips.usda", False), ("clips.usdc", True), ("clips_listed.usdc", False)):
        made = stage(name)
        made.SetTimeCodesPerSecond(30)
        made.SetStartTimeCode(0)
        made.SetEndTimeCode(3)
        run = UsdGeom.Xform.Define(made, "/Run")
        mesh = UsdGeom.Mesh.Define(made, "/Run/Cloth")
        mesh.CreateFaceVertexCountsAttr([4] * 6)
        mesh.CreateFaceVertexIndicesAttr(FACES)
        api = Usd.ClipsAPI(run)
        api.SetClipPrimPath("/Run")
        api.SetClipManifestAssetPath("./clip.manifest.usda")
        if template:
            api.SetClipTemplateAssetPath("./clip.#.usdc")
            api.SetClipTemplateStride(1)
            api.SetClipTemplateStartTime(0)
            api.SetClipTemplateEndTime(3)
        else:
            api.SetClipAssetPaths([f"./clip.{frame}.usdc" for frame in range(4)])
            api.SetClipActive([(frame, frame) for frame in range(4)])
            api.SetClipTimes([(0, 0), (3, 3)])
        made.Save()


def unpacked(block):
    """Decodes one LZ4 block."""
    out, at = bytearray(), 0

    def length(start):
        nonlocal at
        total = start
        while start == 15 and block[at] == 255:
            total, at = total + 255, at + 1
        if start == 15:
            total, at = total + block[at], at + 1
        return total

    while at < len(block):
        token, at = block[at], at + 1
        literals = length(token >> 4)
        out, at = out + block[at : at + literals], at + literals
        if at >= len(block):
            return bytes(out)
        distance, at = struct.unpack_from("<H", block, at)[0], at + 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-distance])
    return bytes(out)


def plain(name, target):
    """Rewrites a file with uncompressed tables, so that mutations of the tables are not just decompression errors."""
    data = open(path(name), "rb").read()
    head = struct.unpack_from("<Q", data, 16)[0]
    count = struct.unpack_from("<Q", data, head)[0]
    sections = [struct.unpack_from("<16sQQ", data, head + 8 + 32 * i) for i in range(count)]
    # For each section, the number of 64-bit words before its compressed blocks, and the number of blocks.
    shape = {"TOKENS": (2, 1), "FIELDS": (1, 2), "FIELDSETS": (1, 1), "PATHS": (2, 3), "SPECS": (1, 3)}
    out = bytearray(data[: min(start for _, start, _ in sections)])
    table = b""
    for raw, start, size in sections:
        words, blocks = shape.get(raw.rstrip(b"\0").decode(), (size // 8 + 1, 0))
        new = len(out)
        if blocks == 0:
            out += data[start : start + size]
        else:
            out += data[start : start + 8 * words]
            at = start + 8 * words
            for _ in range(blocks):
                length = struct.unpack_from("<Q", data, at)[0]
                literals = unpacked(data[at + 9 : at + 8 + length])
                long = len(literals) - 15
                header = bytes([0, 0xF0]) + b"\xff" * (long // 255) + bytes([long % 255])
                block = header + literals if long >= 0 else bytes([0, len(literals) << 4]) + literals
                out += struct.pack("<Q", len(block)) + block
                at += 8 + length
        table += struct.pack("<16sQQ", raw, new, len(out) - new)
    struct.pack_into("<Q", out, 16, len(out))
    out += struct.pack("<Q", count) + table
    open(path(target), "wb").write(out)


def world_points(made, prim, time):
    """Returns the points as placed by Pixar's library, in meters with Y up."""
    local = UsdGeom.PointBased(prim).GetPointsAttr().Get(time)
    placed = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time)
    meters = UsdGeom.GetStageMetersPerUnit(made)
    turned = UsdGeom.GetStageUpAxis(made) == "Z"
    result = []
    for point in local:
        x, y, z = meters * placed.Transform(Gf.Vec3d(point))
        result.append([x, z, -y] if turned else [x, y, z])
    return result


def expected():
    table = {}
    for name, times in (
        ("animated.usda", [1, 2, 2.5, 3, 4, 5, 6]),
        ("animated.usdc", [1, 2, 2.5, 3, 4, 5, 6]),
        ("animated_plain.usdc", [1, 2, 2.5, 3, 4, 5, 6]),
        ("curves.usda", [0]),
        ("curves.usdc", [0]),
        ("arcs.usda", [0, 4, 7, 14, 20]),
        ("rates.usda", [0, 5, 10, 20, 30]),
        ("clips.usda", [0, 1, 1.5, 3]),
        ("clips.usdc", [0, 1, 2, 3]),
        ("clips_listed.usdc", [0, 1, 1.5, 3]),
    ):
        made = Usd.Stage.Open(path(name))
        prims = [prim for prim in made.Traverse() if prim.IsA(UsdGeom.Mesh) or prim.IsA(UsdGeom.BasisCurves)]
        table[name] = {
            str(prim.GetPath()): {str(time): world_points(made, prim, time) for time in times} for prim in prims
        }
    with open(path("expected.json"), "w") as out:
        # Rounded to keep the file small; the rounding is far below the resolution of 32-bit points.
        json.dump(json.loads(json.dumps(table), parse_float=lambda text: round(float(text), 7)), out, separators=(",", ":"))
        out.write("\n")


for kind in ("usda", "usdc"):
    animated(kind)
    curves(kind)
arcs()
rates()
clips()
plain("animated.usdc", "animated_plain.usdc")
plain("clips.usdc", "clips_plain.usdc")
expected()
