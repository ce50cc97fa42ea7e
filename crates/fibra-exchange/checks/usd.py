"""Opens an exported stage with Pixar's USD library and compares it with the frames of the run.

Usage: usd.py RUN STAGE      (requires the packages usd-core and numpy)

None of the library's validators may report an error. Counts, positions, velocities and bounds of the first, middle and last frame must match
RUN/frames. Units, axes, frame rate and frame range of the stage must match the run.
"""

import json
import sys
from pathlib import Path

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdValidation


def read_frame(path):
    """Returns the tensors and the metadata of a frame file."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    types = {"F32": "<f4", "U32": "<u4"}
    tensors = {}
    for name, info in header.items():
        start, end = info["data_offsets"]
        body = data[8 + length + start : 8 + length + end]
        tensors[name] = np.frombuffer(body, types[info["dtype"]]).reshape(info["shape"])
    return tensors, metadata


def same(what, found, expected, tolerance=0.0):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=0.0, atol=tolerance, equal_nan=True):
        sys.exit(f"{what}: the stage has {found}, but the run has {expected}")


def at(prim, name, time):
    value = prim.GetAttribute(name).Get(time)
    return np.array(value) if value is not None else None


def check_points(prim, rows, frame, time):
    """Checks positions, velocities and attributes of the given rows of a frame's points."""
    where = f"{prim.GetPath()} at {time}"
    points = frame["points"][rows]
    same(f"{where}, points", at(prim, "points", time), points)
    same(f"{where}, velocities", at(prim, "velocities", time), frame["velocities"][rows])
    for name, values in frame.items():
        if name.startswith("attributes.") and not np.isnan(values[rows]).all():
            same(f"{where}, {name}", at(prim, "primvars:" + name.removeprefix("attributes."), time), values[rows])
    width = prim.GetAttribute("widths").Get(time) if prim.GetAttribute("widths") else None
    margin = 0.5 * width[0] if width else 0.0
    same(f"{where}, extent", at(prim, "extent", time), [points.min(0) - margin, points.max(0) + margin], 1e-6 * abs(points).max())


def check_object(prim, index, frame, time):
    """Checks everything that belongs to one object; returns its numbers of points, segments, triangles and grains."""
    of_object = frame["object"] == index
    segments, triangles = (frame.get(name, np.zeros((0, n), np.uint32)) for name, n in (("segments", 2), ("triangles", 3)))
    is_vertex = np.zeros(len(of_object), bool)
    is_vertex[segments.ravel()] = True
    is_vertex[triangles.ravel()] = True
    segments, triangles = segments[of_object[segments[:, 0]]], triangles[of_object[triangles[:, 0]]]

    lone = np.flatnonzero(of_object & ~is_vertex)
    points = prim.GetChild("points")
    if bool(points) or len(lone):
        same(f"{points.GetPath()} at {time}, ids", at(points, "ids", time), lone)
        if len(lone):
            check_points(points, lone, frame, time)
    surface = prim.GetChild("surface")
    if bool(surface) or len(triangles):
        vertices, corners = np.unique(triangles, return_inverse=True)
        same(f"{surface.GetPath()} at {time}, faces", at(surface, "faceVertexIndices", time), corners.ravel())
        same(f"{surface.GetPath()} at {time}, counts", at(surface, "faceVertexCounts", time), np.full(len(triangles), 3))
        if len(vertices):
            check_points(surface, vertices, frame, time)
            lengths = np.linalg.norm(at(surface, "normals", time), axis=1)
            same(f"{surface.GetPath()} at {time}, normals", lengths[lengths > 0], np.ones((lengths > 0).sum()), 1e-5)
    curves = prim.GetChild("curves")
    if bool(curves) or len(segments):
        counts = at(curves, "curveVertexCounts", time)
        same(f"{curves.GetPath()} at {time}, segments", (counts - 1).sum(), len(segments))
        found = at(curves, "points", time)
        same(f"{curves.GetPath()} at {time}, points", len(found), counts.sum())
        # Curve vertices are in another order than the frame's points: compare segment lengths and bounds instead.
        ends = np.cumsum(counts)
        inside = np.setdiff1d(np.arange(len(found) - 1), ends - 1)
        drawn = np.sort(np.linalg.norm(found[inside] - found[inside + 1], axis=1))
        simulated = frame["points"][segments]
        lengths = np.sort(np.linalg.norm(simulated[:, 0] - simulated[:, 1], axis=1))
        same(f"{curves.GetPath()} at {time}, lengths", drawn, lengths, 1e-6)
        for low, high in ((found.min(0), simulated.min((0, 1))), (found.max(0), simulated.max((0, 1)))):
            same(f"{curves.GetPath()} at {time}, bounds", low, high)
        if not (np.array(curves.GetAttribute("widths").Get()) > 0).all():
            sys.exit(f"{curves.GetPath()} has no width")
        same(f"{curves.GetPath()} at {time}, velocities", len(at(curves, "velocities", time)), len(found))
    grains, poses = prim.GetChild("grains"), frame.get("instances", np.zeros((0, 7)))
    poses = poses[frame["instance_object"] == index] if len(poses) else poses
    if bool(grains) or len(poses):
        same(f"{grains.GetPath()} at {time}, positions", at(grains, "positions", time), poses[:, :3])
        quaternions = grains.GetAttribute("orientations").Get(time)
        turns = [[*q.GetImaginary(), q.GetReal()] for q in quaternions]
        same(f"{grains.GetPath()} at {time}, orientations", turns, poses[:, 3:], 1e-3)
        transforms = UsdGeom.PointInstancer(grains).ComputeInstanceTransformsAtTime(time, time)
        same(f"{grains.GetPath()} at {time}, instances", len(transforms), len(poses))
    return len(lone), len(segments), len(triangles), len(poses)


def check_colliders(stage, root, frame, origin, time):
    """Checks the positions and extents of visible colliders; returns their number."""
    seen = 0
    poses = [tuple(pose) for pose in frame["colliders"].tolist()]
    for prim in stage.GetPrimAtPath(root.GetPath().AppendChild("colliders")).GetChildren() if root.GetChild("colliders") else []:
        matrix = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time)
        position = np.array(matrix.ExtractTranslation()) - origin
        if not any(np.allclose(position, pose[:3], atol=1e-6 * (1 + np.abs(origin).max())) for pose in poses):
            sys.exit(f"{prim.GetPath()} at {time} is at {position}, but no collider of the run is there")
        if prim.IsA(UsdGeom.Boundable):
            computed = UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), time)
            same(f"{prim.GetPath()} at {time}, extent", at(prim, "extent", time), computed, 1e-5)
        seen += 1
    return seen


def main():
    run, path = Path(sys.argv[1]), sys.argv[2]
    warnings = []
    stage = Usd.Stage.Open(path)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    for error in UsdValidation.ValidationContext(validators).Validate(stage):
        warnings.append(f"{error.GetName()}: {error.GetMessage()}")
    if warnings:
        sys.exit("\n".join(warnings))

    files = sorted((run / "frames").glob("*.safetensors"), key=lambda file: int(file.stem))
    numbers = [int(file.stem) for file in files]
    same("metersPerUnit", UsdGeom.GetStageMetersPerUnit(stage), 1.0)
    if UsdGeom.GetStageUpAxis(stage) != "Y":
        sys.exit("the up axis is not y")
    same("range", [stage.GetStartTimeCode(), stage.GetEndTimeCode()], [numbers[0], numbers[-1]])
    if stage.GetTimeCodesPerSecond() != stage.GetFramesPerSecond():
        sys.exit("time codes per second differ from frames per second")

    root = stage.GetDefaultPrim()
    objects = root.GetChild("objects").GetChildren()
    for file in (files[0], files[len(files) // 2], files[-1]):
        frame, metadata = read_frame(file)
        time, origin = float(metadata["frame"]), np.array(json.loads(metadata["origin"]))
        same("time of a frame", time / stage.GetTimeCodesPerSecond(), float(metadata["time"]), 1e-9)
        same("origin", np.array(UsdGeom.Xformable(root).ComputeLocalToWorldTransform(time).ExtractTranslation()), origin)
        counts = np.sum([check_object(prim, index, frame, time) for index, prim in enumerate(objects)], axis=0)
        bodies = check_colliders(stage, root, frame, origin, time)
        if len(frame["points"]):
            cache = UsdGeom.BBoxCache(time, ["default", "render", "guide"])
            box = cache.ComputeWorldBound(root).ComputeAlignedRange()
            for point in (frame["points"].min(0), frame["points"].max(0)):
                if not Gf.Range3d(box.min - Gf.Vec3d(1e-5), box.max + Gf.Vec3d(1e-5)).Contains(Gf.Vec3d(*(point + origin).tolist())):
                    sys.exit(f"frame {time:.0f}: {point} is outside the stage's bounding box {box}")
        words = zip(counts, ("points", "segments", "triangles", "grains"))
        print(f"frame {time:.0f}: " + ", ".join(f"{count} {word}" for count, word in words) + f", {bodies} colliders")


main()
