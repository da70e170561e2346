// Finds the hookrun binary.
import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { HookrunError } from "./errors.js";

const require = createRequire(import.meta.url);
const windows = process.platform === "win32";
const program = windows ? "hookrun.exe" : "hookrun";

/** The npm package with the binary for this system. */
export const platformPackage = `@hookrun/${process.platform}-${process.arch}`;

/**
 * The path of the binary: as asked, of $HOOKRUN, of the package for this system, or on PATH. A bare name is looked up
 * on PATH. The folder of the process is never searched, because a project could put a hookrun of its own there.
 */
export function findBinary(asked, env = process.env) {
  const named = asked || env.HOOKRUN;
  if (named) {
    const path = /[/\\]/.test(named) ? resolve(named) : onPath(named, env);
    if (path && isProgram(path)) return path;
    const from = asked ? "the option binary" : "$HOOKRUN";
    throw new HookrunError(`${named} (of ${from}) is no program; give the path of hookrun. ${install}`);
  }
  const found = packaged() ?? onPath(program, env);
  if (found) return found;
  throw new HookrunError(`hookrun is missing: no package ${platformPackage}, and none on PATH. ${install}`);
}

const install =
  "This installs hookrun: npm install hookrun (without --omit=optional: the binary is in an optional package)";

/** The binary of the package for this system, or undefined. */
export function packaged() {
  try {
    return require.resolve(`${platformPackage}/bin/${program}`);
  } catch {
    return undefined;
  }
}

function onPath(name, env) {
  const names = windows && !/\.\w+$/.test(name) ? [`${name}.exe`] : [name];
  const key = Object.keys(env).find((k) => (windows ? k.toUpperCase() : k) === "PATH");
  for (const folder of (env[key] ?? "").split(delimiter).filter(isAbsolute)) {
    for (const path of names.map((n) => join(folder, n))) {
      if (isProgram(path)) return path;
    }
  }
  return undefined;
}

/** Whether this user may run the file. */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
