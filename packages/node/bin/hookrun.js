#!/usr/bin/env node
// Starts the hookrun of the package for this system. Exit codes and signals pass through.
import { spawn } from "node:child_process";
import process from "node:process";
import { isProgram, packaged, platformPackage } from "../lib/binary.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"];

const binary = packaged();
const argv = process.argv.slice(2);
if (!binary) {
  fail(`the package ${platformPackage} with the binary is missing; install it: npm install --include=optional hookrun`);
} else {
  if (process.execve && process.platform !== "win32" && !process.permission && isProgram(binary)) {
    process.execve(binary, [binary, ...argv], process.env); // hookrun takes the place of this process
  }
  const child = spawn(binary, argv, { stdio: "inherit" });
  for (const signal of SIGNALS) {
    try {
      process.on(signal, () => child.kill(signal));
    } catch {
      // This system has no such signal.
    }
  }
  child.on("error", (error) => fail(`${binary} did not start: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 1;
    if (!signal) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(why) {
  process.stderr.write(`hookrun: ${why}\n`);
  process.exitCode = 1;
}
