"""Writes the glTF test files beside this script, and the expected vertex positions to `expected_gltf.json`. Uses only the standard library.

`skin` is a column of four rings, bent by two joints, with a morph target. `nodes` is a cube below nodes that rotate and move with
step and cubic interpolation. Its vertices are duplicated as for flat shading, and some positions come from a sparse accessor.
"""

import base64
import json
import math
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


class Buffer:
    """A binary buffer with its buffer views and accessors."""

    def __init__(self):
        self.bytes = b""
        self.views = []
        self.accessors = []

    def view(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data
        return len(self.views) - 1

    def add(self, kind, code, rows, **more):
        letter = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}[code]
        flat = [number for row in rows for number in (row if isinstance(row, (list, tuple)) else [row])]
        view = self.view(struct.pack(f"<{len(flat)}{letter}", *flat))
        self.accessors.append({"bufferView": view, "componentType": code, "count": len(rows), "type": kind, **more})
        return len(self.accessors) - 1

    def floats(self, kind, rows, **more):
        return self.add(kind, 5126, rows, **more)


def write(name, document, buffer):
    """Writes the same model as three files: with an external buffer, with an embedded buffer, and as a binary file."""
    document = {"asset": {"version": "2.0"}, **document, "bufferViews": buffer.views, "accessors": buffer.accessors}
    length = len(buffer.bytes)
    with open(os.path.join(HERE, f"{name}.bin"), "wb") as out:
        out.write(buffer.bytes)
    beside = {**document, "buffers": [{"byteLength": length, "uri": f"{name}.bin"}]}
    data = "data:application/octet-stream;base64," + base64.b64encode(buffer.bytes).decode()
    inside = {**document, "buffers": [{"byteLength": length, "uri": data}]}
    for suffix, content in (("", beside), ("_inside", inside)):
        with open(os.path.join(HERE, f"{name}{suffix}.gltf"), "w") as out:
            json.dump(content, out, separators=(",", ":"))
    text = json.dumps({**document, "buffers": [{"byteLength": length}]}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = buffer.bytes + b"\0" * (-length % 4)
    with open(os.path.join(HERE, f"{name}.glb"), "wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def skin():
    buffer = Buffer()
    rings, sides = 4, 6
    rows, joints, weights, bulge = [], [], [], []
    for ring in range(rings):
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            rows.append((0.1 * math.cos(angle), 0.2 * ring, 0.1 * math.sin(angle)))
            upper = ring / (rings - 1)
            joints.append((0, 1, 0, 0))
            weights.append((1 - upper, upper, 0, 0))
            bulge.append((0.1 * math.cos(angle), 0, 0.1 * math.sin(angle)))
    triangles = []
    for ring in range(rings - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            triangles += [a, a + sides, b, b, a + sides, b + sides]
    for side in range(1, sides - 1):
        top = (rings - 1) * sides
        triangles += [0, side, side + 1, top, top + side + 1, top + side]
    half = math.sqrt(0.5)
    document = {
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "column", "mesh": 0, "skin": 0, "translation": [9, 9, 9]},
            {"name": "root", "children": [2]},
            {"name": "elbow", "translation": [0, 0.3, 0]},
        ],
        "meshes": [
            {
                "primitives": [
                    {
                        "attributes": {
                            "POSITION": buffer.floats("VEC3", rows),
                            "JOINTS_0": buffer.add("VEC4", 5121, joints),
                            "WEIGHTS_0": buffer.floats("VEC4", weights),
                        },
                        "indices": buffer.add("SCALAR", 5123, triangles),
                        "targets": [{"POSITION": buffer.floats("VEC3", bulge)}],
                    }
                ],
                "weights": [0],
            }
        ],
        "skins": [
            {
                "joints": [1, 2],
                "inverseBindMatrices": buffer.floats(
                    "MAT4",
                    [
                        (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
                        (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.3, 0, 1),
                    ],
                ),
            }
        ],
    }
    times = buffer.floats("SCALAR", [0, 1])
    turns = buffer.floats("VEC4", [(0, 0, 0, 1), (0, 0, half, half)])
    amounts = buffer.floats("SCALAR", [0, 1])
    document["animations"] = [
        {
            "channels": [
                {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "weights"}},
            ],
            "samplers": [{"input": times, "output": turns}, {"input": times, "output": amounts, "interpolation": "LINEAR"}],
        }
    ]
    write("skin", document, buffer)

    def at(t):
        angle = 0.5 * math.pi * t
        cos, sin = math.cos(angle), math.sin(angle)
        points = []
        for (x, y, z), (low, high, _, _), (dx, _, dz) in zip(rows, weights, bulge):
            x, z = x + t * dx, z + t * dz
            bent = (cos * x - sin * (y - 0.3), 0.3 + sin * x + cos * (y - 0.3), z)
            points.append([low * own + high * other for own, other in zip((x, y, z), bent)])
        return points

    return {str(t): at(t) for t in (0, 0.5, 1)}


def nodes():
    buffer = Buffer()
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    rows = [corners[corner] for face in faces for corner in face]
    indices = [4 * face + corner for face in range(6) for corner in (0, 1, 2, 0, 2, 3)]
    wrong = [(9, 9, 9)] + rows[1:23] + [(8, 8, 8)]
    sparse = {
        "count": 2,
        "indices": {"bufferView": buffer.view(struct.pack("<2H", 0, 23)), "componentType": 5123},
        "values": {"bufferView": buffer.view(struct.pack("<6f", *rows[0], *rows[23]))},
    }
    document = {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "mover", "children": [1]},
            {"name": "turner", "scale": [1, 1, -1], "children": [2]},
            {"name": "cube", "mesh": 0, "matrix": [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 1, 0, 1]},
        ],
        "meshes": [
            {
                "primitives": [
                    {
                        "attributes": {"POSITION": buffer.floats("VEC3", wrong, sparse=sparse)},
                        "indices": buffer.add("SCALAR", 5125, indices),
                    }
                ]
            }
        ],
    }
    half = math.sqrt(0.5)
    moves = buffer.floats("VEC3", [(0, 0, 0), (0, 0, 0), (2, 0, 0), (-2, 0, 0), (2, 0, 0), (0, 0, 0)])
    turns = buffer.floats("VEC4", [(0, 0, 0, 1), (0, half, 0, half)])
    document["animations"] = [
        {
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": "translation"}},
                {"sampler": 1, "target": {"node": 1, "path": "rotation"}},
            ],
            "samplers": [
                {"input": buffer.floats("SCALAR", [0, 2]), "output": moves, "interpolation": "CUBICSPLINE"},
                {"input": buffer.floats("SCALAR", [0.5, 1]), "output": turns, "interpolation": "STEP"},
            ],
        }
    ]
    write("nodes", document, buffer)

    def at(t):
        s = t / 2
        # Cubic Hermite spline from 0 to 2, with the tangents 2 per second at the start and -2 at the end.
        x0 = 2 * (s**3 - 2 * s**2 + s) * 2 + 2 * (3 * s**2 - 2 * s**3) - 2 * (s**3 - s**2) * 2
        points = []
        for x, y, z in corners:
            x, y, z = 0.5 * x, 0.5 * y + 1, -0.5 * z
            if t >= 1:
                x, z = z, -x
            points.append([x + x0, y, z])
        return points

    return {str(t): at(t) for t in (0, 0.5, 1, 1.5, 2)}


with open(os.path.join(HERE, "expected_gltf.json"), "w") as out:
    table = json.dumps({"skin": skin(), "nodes": nodes()})
    json.dump(json.loads(table, parse_float=lambda text: round(float(text), 7)), out, separators=(",", ":"))
    out.write("\n")
