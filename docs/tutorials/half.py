#!/usr/bin/env python3
"""Writes a picture at half its size: half.py IN.png OUT.png. Reads the 8-bit RGB and RGBA files that `fibra` writes; needs no package."""

import struct
import sys
import zlib


def read(path):
    """Returns width, height and rows of RGB bytes of a PNG file."""
    with open(path, "rb") as file:
        data = file.read()
    offset, packed = 8, b""
    while offset < len(data):
        size, kind = struct.unpack(">I4s", data[offset:offset + 8])
        chunk = data[offset + 8:offset + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            packed += chunk
        offset += size + 12
    if depth != 8 or color not in (2, 6):
        sys.exit(f"{path}: not an 8-bit RGB picture")
    step = 3 if color == 2 else 4
    raw, rows = zlib.decompress(packed), []
    before = bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        if kind == 1:
            for i in range(step, len(row)):
                row[i] = (row[i] + row[i - step]) & 255
        elif kind == 2:
            for i in range(len(row)):
                row[i] = (row[i] + before[i]) & 255
        elif kind == 3:
            for i in range(len(row)):
                left = row[i - step] if i >= step else 0
                row[i] = (row[i] + (left + before[i]) // 2) & 255
        elif kind == 4:
            for i in range(len(row)):
                a, c = (row[i - step], before[i - step]) if i >= step else (0, 0)
                row[i] = (row[i] + paeth(a, before[i], c)) & 255
        before = row
        rows.append(row if step == 3 else bytearray(v for i, v in enumerate(row) if i % 4 != 3))
    return width, height, rows


def paeth(a, b, c):
    """The Paeth predictor of PNG: the neighbor (left, above, above left) nearest to a + b - c."""
    p, q, r = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if p <= q and p <= r else b if q <= r else c


def halved(width, height, rows):
    """Averages 2 x 2 pixels. The result is rounded to even values: it compresses better, and the difference is not visible."""
    small = []
    for y in range(0, height - 1, 2):
        upper, lower = rows[y], rows[y + 1]
        row = bytearray(width // 2 * 3)
        for i in range(len(row)):
            j = i // 3 * 6 + i % 3
            row[i] = min((upper[j] + upper[j + 3] + lower[j] + lower[j + 3] + 4) // 8 * 2, 255)
        small.append(row)
    return width // 2, height // 2, small


def write(path, width, height, rows):
    """Writes RGB rows as a PNG file."""
    raw, before = bytearray(), bytearray(width * 3)
    for row in rows:
        choices = [
            (1, bytes((v - (row[i - 3] if i > 2 else 0)) & 255 for i, v in enumerate(row))),
            (2, bytes((v - before[i]) & 255 for i, v in enumerate(row))),
            (4, bytes((v - paeth(*((row[i - 3], before[i], before[i - 3]) if i > 2 else (0, before[i], 0)))) & 255
                      for i, v in enumerate(row))),
        ]  # fmt: skip
        kind, filtered = min(choices, key=lambda choice: sum(min(v, 256 - v) for v in choice[1]))
        raw += bytes([kind]) + filtered
        before = row
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(raw), 9)), (b"IEND", b"")]
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, chunk in chunks:
            file.write(struct.pack(">I", len(chunk)) + kind + chunk + struct.pack(">I", zlib.crc32(kind + chunk)))


if __name__ == "__main__":
    write(sys.argv[2], *halved(*read(sys.argv[1])))
