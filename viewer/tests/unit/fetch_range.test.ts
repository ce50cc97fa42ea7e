import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fetchRange } from "../../src/data/fetch_range";
import { isConnectionError } from "../../src/data/connection_error";

const FILE = Uint8Array.from({ length: 300_000 }, (_, k) => k % 251);

/** Fetches a range from a server whose responses are written by `respond`. */
async function fetchFrom(respond: (begin: number, end: number, to: ServerResponse) => void, begin: number, end: number) {
  const server = createServer(({ headers }, response) => {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(headers.range!)!;
    respond(Number(first), Number(last) + 1, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await fetchRange(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, begin, end);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const part = (begin: number, end: number, to: ServerResponse) => {
  const bytes = FILE.slice(begin, end);
  to.writeHead(206, { "Content-Length": bytes.length, "Content-Range": `bytes ${begin}-${begin + bytes.length - 1}/${FILE.length}` });
  // In chunks, as on a network.
  for (let k = 0; k < bytes.length; k += 70_001) to.write(bytes.slice(k, k + 70_001));
  to.end();
};

test("a range is read, shortened at the end of the file", async () => {
  const middle = await fetchFrom(part, 1000, 250_000);
  assert.deepEqual(middle.bytes, FILE.slice(1000, 250_000));
  assert.equal(middle.total, FILE.length);
  assert.equal(middle.bytes.byteOffset, 0);
  const end = await fetchFrom(part, 299_000, 400_000);
  assert.deepEqual(end.bytes, FILE.slice(299_000));
});

test("a server that ignores ranges and sends the whole file is supported", async () => {
  const whole = (_begin: number, _end: number, to: ServerResponse) => to.writeHead(200).end(FILE);
  assert.deepEqual((await fetchFrom(whole, 0, 10)).bytes, FILE);
  assert.deepEqual((await fetchFrom(whole, 1000, 2000)).bytes, FILE.slice(1000));
});

test("a missing or wrong length in the response does not block the read", async () => {
  const unnamed = (begin: number, end: number, to: ServerResponse) => to.writeHead(206).end(FILE.slice(begin, end));
  assert.deepEqual((await fetchFrom(unnamed, 10, 20)).bytes, FILE.slice(10, 20));
  assert.deepEqual((await fetchFrom(unnamed, 299_990, 300_020)).bytes, FILE.slice(299_990));
  const tooMuch = (_begin: number, _end: number, to: ServerResponse) => to.writeHead(206, { "Content-Length": FILE.length }).end(FILE);
  assert.deepEqual((await fetchFrom(tooMuch, 0, 10)).bytes, FILE.slice(0, 10));
});

test("failed requests give the reason, and connection errors are recognized", async () => {
  const fail = (status: number) => (_begin: number, _end: number, to: ServerResponse) => to.writeHead(status).end();
  await assert.rejects(fetchFrom(fail(404), 0, 10), /not found/);
  await assert.rejects(fetchFrom(fail(500), 0, 10), /status 500/);
  const breakOff = (begin: number, end: number, to: ServerResponse) => {
    to.writeHead(206, { "Content-Length": end - begin });
    to.write(FILE.slice(begin, begin + 100));
    setTimeout(() => to.destroy(), 50);
  };
  await assert.rejects(fetchFrom(breakOff, 0, 10_000), isConnectionError);
});
