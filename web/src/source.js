// Where the bytes of a file come from: memory, a Blob, or a URL that is read in ranges.

export function sourceOf(given) {
  if (given instanceof ArrayBuffer) return memorySource(new Uint8Array(given));
  if (ArrayBuffer.isView(given)) return memorySource(new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
  if (typeof Blob !== "undefined" && given instanceof Blob) return blobSource(given);
  if (typeof given === "string" || given instanceof URL) return urlSource(String(given));
  throw new Error("open: expected an ArrayBuffer, a typed array, a Blob or a URL");
}

function memorySource(bytes) {
  return { name: "memory", size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

function blobSource(blob) {
  const read = async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
  return { name: blob.name || "blob", size: blob.size, read };
}

// The first request says how long the file is. A server that knows no ranges sends all of it.
async function urlSource(url) {
  const FIRST = 1 << 16;
  const get = async (from, length) => {
    const answer = await fetch(url, { headers: { Range: `bytes=${from}-${from + length - 1}` } });
    if (!answer.ok && answer.status !== 416) throw new Error(`${url}: cannot be read, status ${answer.status}`);
    return answer;
  };
  const first = await get(0, FIRST);
  if (first.status === 416) return { ...memorySource(new Uint8Array(0)), name: url };
  const bytes = new Uint8Array(await first.arrayBuffer());
  if (first.status !== 206) return { ...memorySource(bytes), name: url };
  const total = /^bytes 0-\d+\/(\d+)$/.exec(first.headers.get("Content-Range") ?? "");
  if (!total) throw new Error(`${url}: the server does not say how long the file is`);
  const read = async (offset, length) => {
    if (length === 0) return new Uint8Array(0);
    if (offset + length <= bytes.length) return bytes.subarray(offset, offset + length);
    const answer = await get(offset, length);
    const part = new Uint8Array(await answer.arrayBuffer());
    if (answer.status !== 206 || part.length !== length)
      throw new Error(`${url}: expected ${length} bytes from ${offset} on, got ${part.length}`);
    return part;
  };
  return { name: url, size: Number(total[1]), read };
}
