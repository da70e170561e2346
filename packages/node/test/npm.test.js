// The tarballs of tools/packages/npm.mjs, installed by npm from a registry on loopback into an empty project.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { before, test } from "node:test";
import { folder, hook, repository, testBinary, workspace } from "./kit.js";

const VERSION = "1.2.3";
const script = join(repository, "tools", "packages", "npm.mjs");
const own = { "linux-x64": "linux_amd64", "linux-arm64": "linux_arm64", "darwin-arm64": "darwin_arm64" }[
  `${process.platform}-${process.arch}`];
const skip = !own && "the archive is built for Linux and macOS";
const platform = `${process.platform}-${process.arch}`;

const sums = (dir) => writeFileSync(join(dir, "SHA256SUMS"), readdirSync(dir).filter((n) => /gz|zip/.test(n)).map(
  (name) => `${createHash("sha256").update(readFileSync(join(dir, name))).digest("hex")}  ${name}\n`).join(""));

/** A folder with the archives of a release: the binary of this system, and others that only have a name. */
function release() {
  const dir = folder();
  for (const target of new Set([own, "linux_riscv64", "linux_armv7", "darwin_arm64", "windows_amd64"])) {
    const inside = folder();
    const windows = target.startsWith("windows");
    const program = join(inside, windows ? "hookrun.exe" : "hookrun");
    if (target === own) copyFileSync(testBinary(), program);
    else writeFileSync(program, `a program for ${target}`);
    for (const name of ["LICENSE", "README.md"]) copyFileSync(join(repository, name), join(inside, name));
    mkdirSync(join(inside, "man"));
    writeFileSync(join(inside, "man", "hookrun.1"), ".TH HOOKRUN 1");
    const archive = join(dir, `hookrun_${VERSION}_${target}`);
    const names = readdirSync(inside);
    if (windows) execFileSync("python3", ["-m", "zipfile", "-c", `${archive}.zip`, ...names], { cwd: inside });
    else execFileSync("tar", ["-czf", `${archive}.tar.gz`, ...names], { cwd: inside });
  }
  sums(dir);
  return dir;
}

const pack = (dir) => spawnSync(process.execPath, [script, dir], { encoding: "utf8" });
const manifestOf = (tgz) => JSON.parse(execFileSync("tar", ["-xzOf", tgz, "package/package.json"]));

let dir;
before(() => {
  if (skip) return;
  dir = release();
  const { status, stderr } = pack(dir);
  assert.equal(status, 0, stderr);
});

test("one package for each archive, and one that depends on them", { skip }, () => {
  const packages = readdirSync(dir).filter((name) => name.endsWith(".tgz"));
  const manifests = packages.map((name) => manifestOf(join(dir, name)));
  const main = manifests.find(({ name }) => name === "hookrun");
  const others = manifests.filter((m) => m !== main);
  assert.deepEqual(Object.keys(main.optionalDependencies).sort(), others.map(({ name }) => name).sort());
  assert.ok(Object.values(main.optionalDependencies).every((version) => version === VERSION));
  assert.equal(main.dependencies, undefined);
  for (const manifest of manifests) assert.equal(manifest.scripts, undefined, "npm runs no script of a package");
  const windows = others.find(({ name }) => name === "@hookrun/win32-x64");
  assert.deepEqual([windows.os, windows.cpu, windows.version], [["win32"], ["x64"], VERSION]);
  const arm = others.find(({ name }) => name === "@hookrun/linux-arm");
  assert.deepEqual([arm.os, arm.cpu], [["linux"], ["arm"]]);
  const program = ["-xzOf", join(dir, `hookrun-win32-x64-${VERSION}.tgz`), "package/bin/hookrun.exe"];
  assert.equal(String(execFileSync("tar", program)), "a program for windows_amd64");
});

test("the same archives give the same bytes", { skip }, () => {
  const again = folder();
  cpSync(dir, again, { recursive: true });
  const packages = readdirSync(again).filter((name) => name.endsWith(".tgz"));
  for (const name of [...packages, "SHA256SUMS"]) rmSync(join(again, name)); // release.sh writes the sums last
  assert.equal(pack(again).status, 0);
  for (const name of packages) assert.ok(readFileSync(join(again, name)).equals(readFileSync(join(dir, name))), name);
});

test("archives that are no release are refused", { skip }, () => {
  const broken = (change) => {
    const copy = folder();
    cpSync(dir, copy, { recursive: true });
    change(copy, join(copy, `hookrun_${VERSION}_linux_riscv64.tar.gz`));
    const { status, stderr } = pack(copy);
    assert.equal(status, 1);
    return stderr;
  };
  assert.match(broken((_, path) => writeFileSync(path, "x")), /riscv64.*SHA256SUMS says/);
  assert.match(broken((copy, path) => (writeFileSync(path, "x"), sums(copy))), /riscv64.tar.gz cannot be read/);
  assert.match(broken((copy, path) => {
    copyFileSync(path, path.replace(VERSION, "1.2.4"));
    sums(copy);
  }), /several versions: 1\.2\.3, 1\.2\.4/);
  assert.match(broken((copy, path) => {
    copyFileSync(path, path.replace("riscv64", "z80"));
    sums(copy);
  }), /npm has no name for linux z80/);
  assert.match(pack(folder()).stderr, /^npm\.mjs: .* has no archives; run tools\/release\.sh/);
});

/** A registry with the packages of a folder. */
async function registry(t, dir) {
  const packages = new Map(readdirSync(dir).filter((name) => name.endsWith(".tgz")).map((file) => {
    const manifest = manifestOf(join(dir, file));
    return [manifest.name, { manifest, file, bytes: readFileSync(join(dir, file)) }];
  }));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.slice(1));
    const tarball = [...packages.values()].find(({ file }) => path === `-/${file}`);
    if (tarball) return response.end(tarball.bytes);
    const found = packages.get(path);
    if (!found) return response.writeHead(404).end("{}");
    const integrity = `sha512-${createHash("sha512").update(found.bytes).digest("base64")}`;
    const dist = { integrity, tarball: `${url}/-/${found.file}` };
    const version = { ...found.manifest, dist };
    response.end(JSON.stringify({
      name: path, "dist-tags": { latest: VERSION }, versions: { [VERSION]: version },
    }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${server.address().port}`;
  return url;
}

test("installed by npm into an empty project", { skip }, async (t) => {
  const project = folder();
  const url = await registry(t, dir);
  writeFileSync(join(project, "package.json"), "{}");
  const env = { ...process.env, npm_config_cache: folder(), npm_config_registry: url, HOOKRUN: "",
    npm_config_update_notifier: "false", npm_config_loglevel: "error", 
    npm_config_audit: "false", npm_config_fund: "false", no_proxy: "127.0.0.1" };
  const run = (program, ...args) => runWith({}, program, ...args);
  const runWith = (more, program, ...args) => new Promise((resolve) => {
    execFile(program, args, { cwd: project, env: { ...env, ...more } }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }));
  });

  const installed = await run("npm", "install", "hookrun");
  assert.equal(installed.code, 0, installed.stderr);
  assert.deepEqual(readdirSync(join(project, "node_modules", "@hookrun")), [platform], "npm takes one binary");
  assert.ok(!existsSync(join(project, "node_modules", "hookrun", "test")));

  const version = await run("npx", "hookrun", "version");
  assert.deepEqual([version.code, version.stderr], [0, ""]);
  assert.match(version.stdout, /^hookrun /);

  const guarded = workspace(hook("pre-tool", `case $("$HOOKRUN" get command) in
rm) echo "no rm" >&2; exit 2 ;;
halt) echo '{"continue":false,"stopReason":"enough"}' ;; esac`));
  for (const [command, expected] of Object.entries({
    ls: { code: 0, stdout: "", stderr: "" }, rm: { code: 2, stdout: "", stderr: "no rm\n" },
    halt: { code: 3, stdout: "", stderr: "enough\n" },
  })) {
    const args = ["pre-tool", "-C", guarded, "--tool", "shell", "--args", JSON.stringify({ command })];
    assert.deepEqual(await run("npx", "hookrun", ...args), expected, command);
  }
  assert.equal((await run("npx", "hookrun", "nonsense")).code, 1);

  writeFileSync(join(project, "loop.mjs"), `import { Gate } from "hookrun";
const gate = new Gate({ workspace: ${JSON.stringify(guarded)} });
const { decision, reason } = await gate.before("shell", { command: "rm" });
console.log(decision, reason);
console.log(await gate.wrap("shell", { command: "ls" }, async ({ command }) => "ran " + command));
`);
  assert.deepEqual(await run("node", "loop.mjs"), { code: 0, stdout: "block no rm\nran ls\n", stderr: "" });

  for (const page of [join("docs", "reference", "node.md"), join("packages", "node", "README.md")]) {
    const text = readFileSync(join(repository, page), "utf8");
    const [program, prints] = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)];
    assert.deepEqual([program[1], prints[1]], ["js", "text"], `${page} begins with a program and its output`);
    writeFileSync(join(project, "loop.mjs"), program[2]);
    assert.deepEqual(await run("node", "loop.mjs"), { code: 0, stdout: prints[2], stderr: "" }, page);
  }

  rmSync(join(project, "node_modules", "@hookrun"), { recursive: true });
  const missing = await runWith({ PATH: "" }, process.execPath, "loop.mjs");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /HookrunError: .*npm install hookrun/);
});
