// Reads the archives of a release.
import { gunzipSync, inflateRawSync } from "node:zlib";

/** The files of an archive: from path to content. */
export function files(name, bytes) {
  const found = new Map();
  const add = (path, content) => {
    if (found.has(path)) throw new Error(`${name} has ${path} twice`);
    found.set(path, content);
  };
  try {
    if (name.endsWith(".zip")) readZip(bytes, add);
    else readTar(gunzipSync(bytes), add);
  } catch (error) {
    throw new Error(`${name} cannot be read: ${error.message}`);
  }
  return found;
}

function readTar(bytes, add) {
  const text = (at, length) => bytes.toString("utf8", at, at + length).replace(/\0.*$/s, "");
  let long; // the path of the next file, from a header of its own
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const size = parseInt(text(at + 124, 12).trim(), 8) || 0;
    const type = String.fromCharCode(bytes[at + 156] || 48);
    const content = bytes.subarray(at + 512, at + 512 + size);
    if (content.length < size) throw new Error("it was cut off");
    if (type === "x") {
      long = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString())?.[1];
    } else if (type === "0") {
      const prefix = text(at + 257, 5) === "ustar" ? text(at + 345, 155) : "";
      add(long ?? (prefix && `${prefix}/`) + text(at, 100), content);
      long = undefined;
    } else if (type !== "5" && type !== "g") {
      throw new Error(`it has an entry of type ${type}`);
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

function readZip(bytes, add) {
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06"));
  if (end < 0) throw new Error("it is no zip file");
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error("its list of files is broken");
    const method = bytes.readUInt16LE(at + 10);
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const start = bytes.readUInt32LE(at + 42);
    const path = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    at += 46 + nameLength + extra + comment;
    if (path.endsWith("/")) continue;
    const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
    const data = bytes.subarray(from, from + packed);
    if (method !== 0 && method !== 8) throw new Error(`${path} is packed in a way that is not known`);
    const content = method === 0 ? data : inflateRawSync(data);
    if (content.length !== size) throw new Error(`${path} was cut off`);
    add(path, content);
  }
}
