// Writes tarballs as npm reads them.
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";

const BLOCK = 512;
const TIME = Date.UTC(1985, 9, 26, 8, 15) / 1000; // npm's own time of all files

/** A package: [path, content, mode] for each file, in the order of its paths. */
export function tarball(files) {
  const sorted = files.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const blocks = sorted.flatMap(([path, content, mode = 0o644]) => {
    const bytes = Buffer.from(content);
    return [header(`package/${path}`, bytes.length, mode), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))];
  });
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  packed[9] = 255; // the system that packed it is unknown
  return packed;
}

function header(path, size, mode) {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is longer than 100 bytes`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value, at, length) => block.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  block.write(path, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8); // user
  octal(0, 116, 8); // group
  octal(size, 124, 12);
  octal(TIME, 136, 12);
  block.write("        ", 148); // the sum counts itself as blanks
  block.write("0", 156); // a file
  block.write("ustar\x0000", 257, "latin1");
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 7);
  block[155] = 32;
  return block;
}
