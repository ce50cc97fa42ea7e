// Creates safetensors files in memory for tests.

/** The bytes of a file with the given tensors. */
export function tensorBytes(tensors: Record<string, Float32Array | Uint32Array>, metadata: Record<string, string> = {}): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, values] of Object.entries(tensors)) {
    const dtype = values instanceof Float32Array ? "F32" : "U32";
    header[name] = { dtype, shape: [values.length], data_offsets: [end, end + values.byteLength] };
    end += values.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + end);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 8);
  let at = 8 + json.length;
  for (const values of Object.values(tensors)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return bytes;
}
