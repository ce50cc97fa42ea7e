"""Writes the models of `scene.toml`, using only Python's standard library.

`arm.glb` stands for an animator's export: a closed arm whose skin follows two bones; the elbow rotates for two
seconds. `scarf.usda` stands for a garment designer's export: a mesh of cloth, z up, in centimeters.
"""

import json
import math
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTH, RADIUS, RINGS, SIDES = 0.8, 0.07, 24, 20


def arm():
    """Returns the vertices, joint weights and triangles of a tube along x with pointed ends."""
    points, weights, triangles = [(-LENGTH / 2 - RADIUS, 0, 0)], [(1.0, 0.0)], []
    for ring in range(RINGS + 1):
        x = LENGTH * (ring / RINGS - 0.5)
        # The weights blend from one bone to the other over 0.12 m at the elbow.
        upper = min(max(0.5 + x / 0.12, 0.0), 1.0)
        for side in range(SIDES):
            angle = 2 * math.pi * side / SIDES
            points.append((x, RADIUS * math.cos(angle), RADIUS * math.sin(angle)))
            weights.append((1 - upper, upper))
    points.append((LENGTH / 2 + RADIUS, 0, 0))
    weights.append((0.0, 1.0))
    corner = lambda ring, side: 1 + ring * SIDES + side % SIDES
    for side in range(SIDES):
        triangles.append((0, corner(0, side + 1), corner(0, side)))
        triangles.append((len(points) - 1, corner(RINGS, side), corner(RINGS, side + 1)))
        for ring in range(RINGS):
            a, b = corner(ring, side), corner(ring, side + 1)
            c, d = corner(ring + 1, side), corner(ring + 1, side + 1)
            triangles += [(a, b, c), (b, d, c)]
    return points, weights, triangles


def write_arm():
    points, weights, triangles = arm()
    parts, views, accessors = [], [], []

    def add(kind, code, letter, rows):
        flat = [number for row in rows for number in (row if isinstance(row, tuple) else (row,))]
        data = struct.pack(f"<{len(flat)}{letter}", *flat)
        views.append({"buffer": 0, "byteOffset": sum(map(len, parts)), "byteLength": len(data)})
        parts.append(data + b"\0" * (-len(data) % 4))
        accessors.append({"bufferView": len(views) - 1, "componentType": code, "count": len(rows), "type": kind})
        return len(accessors) - 1

    bends = [0, 0, 70, 70, -40, 0]
    turns = [(0.0, 0.0, math.sin(math.radians(bend) / 2), math.cos(math.radians(bend) / 2)) for bend in bends]
    identity = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    attributes = {
        "POSITION": add("VEC3", 5126, "f", points),
        "JOINTS_0": add("VEC4", 5121, "B", [(0, 1, 0, 0)] * len(points)),
        "WEIGHTS_0": add("VEC4", 5126, "f", [(*pair, 0.0, 0.0) for pair in weights]),
    }
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "arm", "mesh": 0, "skin": 0}, {"name": "shoulder", "children": [2]}, {"name": "elbow"}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": add("SCALAR", 5125, "I", [corner for triangle in triangles for corner in triangle])}]}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": add("MAT4", 5126, "f", [identity] * 2)}],
        "animations": [
            {
                "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
                "samplers": [
                    {
                        "input": add("SCALAR", 5126, "f", [0.0, 0.5, 1.0, 1.2, 1.7, 2.0]),
                        "output": add("VEC4", 5126, "f", turns),
                    }
                ],
            }
        ],
    }
    binary = b"".join(parts)
    document.update(accessors=accessors, bufferViews=views, buffers=[{"byteLength": len(binary)}])
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(os.path.join(HERE, "arm.glb"), "wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def write_scarf():
    columns, rows, step = 49, 25, 1.5
    points = [
        f"({step * (column - columns // 2):g}, {step * (row - rows // 2):g}, 0)"
        for row in range(rows)
        for column in range(columns)
    ]
    quads = [
        f"{row * columns + column}, {row * columns + column + 1}, {(row + 1) * columns + column + 1}, {(row + 1) * columns + column}"
        for row in range(rows - 1)
        for column in range(columns - 1)
    ]
    with open(os.path.join(HERE, "scarf.usda"), "w") as out:
        out.write('#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = 0.01\n    upAxis = "Z"\n)\n\n')
        out.write('def Xform "World"\n{\n    def Mesh "Scarf"\n    {\n')
        out.write(f"        int[] faceVertexCounts = [{', '.join(['4'] * len(quads))}]\n")
        out.write(f"        int[] faceVertexIndices = [{', '.join(quads)}]\n")
        out.write(f"        point3f[] points = [{', '.join(points)}]\n")
        out.write("        double3 xformOp:translate = (15, 0, 12)\n")
        out.write('        uniform token[] xformOpOrder = ["xformOp:translate"]\n    }\n}\n')


write_arm()
write_scarf()
