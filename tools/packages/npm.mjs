#!/usr/bin/env node
// Makes npm packages of a release: tools/packages/npm.mjs DIR
//
// DIR has the archives of tools/release.sh, hookrun_VERSION_OS_ARCH.tar.gz or .zip. If SHA256SUMS is there too, each
// archive must have its sum. DIR gets one package @hookrun/OS-CPU for each archive, with the binary, and the package
// hookrun, which depends on them: npm installs the one for its system. No package has an install script. The same
// archives and the same Node give the same bytes.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { files } from "./archive.mjs";
import { tarball } from "./tarball.mjs";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const source = join(repository, "packages", "node");

// Names of npm for names of Go.
const SYSTEMS = { linux: "linux", darwin: "darwin", windows: "win32" };
const PROCESSORS = { amd64: "x64", arm64: "arm64", armv7: "arm", riscv64: "riscv64" };
const ARCHIVE = /^hookrun_(.+)_([a-z]+)_([a-z0-9]+)\.(?:tar\.gz|zip)$/;

const dir = process.argv[2];
if (!dir || process.argv.length > 3) fail("give the folder with the archives: tools/packages/npm.mjs DIR");

try {
  const archives = found(dir);
  const version = archives[0].version;
  const platforms = archives.map((archive) => platformPackage(archive));
  for (const made of [...platforms, mainPackage(version, platforms)]) {
    const name = `${made.manifest.name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    writeFileSync(join(dir, name), tarball(made.files));
    console.log(name);
  }
} catch (error) {
  fail(error.message);
}

// The archives of DIR, in the order of their names, each as its sum says.
function found(dir) {
  const sums = sumsOf(join(dir, "SHA256SUMS"));
  const archives = readdirSync(dir).sort().flatMap((name) => {
    const [, version, os, arch] = ARCHIVE.exec(name) ?? [];
    if (!version) return [];
    if (!SYSTEMS[os] || !PROCESSORS[arch]) throw new Error(`${name}: npm has no name for ${os} ${arch}; add one`);
    const bytes = readFileSync(join(dir, name));
    const sum = createHash("sha256").update(bytes).digest("hex");
    const said = sums ? sums.get(name) ?? "nothing" : sum;
    if (said !== sum) throw new Error(`${name}: SHA256SUMS says ${said}, not ${sum}`);
    return [{ name, version, os, arch, bytes }];
  });
  if (archives.length === 0) throw new Error(`${dir} has no archives; run tools/release.sh ${dir}`);
  const versions = [...new Set(archives.map(({ version }) => version))];
  if (versions.length > 1) throw new Error(`${dir} has archives of several versions: ${versions.join(", ")}`);
  if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(versions[0])) throw new Error(`${versions[0]} is no version of npm`);
  return archives;
}

// The sums by name, or undefined: release.sh writes them last, since the packages have sums, too.
function sumsOf(path) {
  if (!existsSync(path)) return undefined;
  return new Map(readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => {
    const [sum, name] = line.split(/ [ *]/);
    return [name, sum];
  }));
}

function platformPackage({ name, version, os, arch, bytes }) {
  const [system, cpu] = [SYSTEMS[os], PROCESSORS[arch]];
  const program = os === "windows" ? "hookrun.exe" : "hookrun";
  const inside = files(name, bytes);
  const take = (path) => {
    const found = [...inside].filter(([inner]) => inner === path || inner.endsWith(`/${path}`));
    if (found.length !== 1) throw new Error(`${name} has ${found.length} files named ${path}, not one`);
    return found[0][1];
  };
  const manifest = {
    name: `@hookrun/${system}-${cpu}`, version,
    description: `The binary of hookrun for ${system} ${cpu}; install the package hookrun`,
    ...common(), os: [system], cpu: [cpu], preferUnplugged: true,
  };
  return {
    manifest,
    files: [
      ["package.json", json(manifest)],
      ["LICENSE", take("LICENSE")],
      ["README.md", `# ${manifest.name}\n\n${manifest.description}.\n`],
      [`bin/${program}`, take(program), 0o755],
    ],
  };
}

function mainPackage(version, platforms) {
  const { devDependencies, scripts, ...kept } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const optionalDependencies = Object.fromEntries(platforms.map(({ manifest }) => [manifest.name, version]));
  const manifest = { ...kept, version, ...common(), optionalDependencies };
  const own = kept.files.flatMap((folder) => readdirSync(join(source, folder)).sort().map((name) => {
    const path = `${folder}/${name}`;
    return [path, readFileSync(join(source, path)), folder === "bin" ? 0o755 : 0o644];
  }));
  return {
    manifest,
    files: [
      ["package.json", json(manifest)],
      ["LICENSE", readFileSync(join(repository, "LICENSE"))],
      ["README.md", readFileSync(join(source, "README.md"))],
      ...own,
    ],
  };
}

function common() {
  const repository = { type: "git", url: "git+https://github.com/hookrun/hookrun.git", directory: "packages/node" };
  return { license: "MIT", repository };
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function fail(why) {
  process.stderr.write(`npm.mjs: ${why}\n`);
  process.exit(1);
}
