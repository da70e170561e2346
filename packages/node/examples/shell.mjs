// The tool of the examples: it runs a command in the shell.
import { exec } from "node:child_process";
import { promisify } from "node:util";

export const workspace = process.env.WORKSPACE || ".";

export async function runShell({ command }) {
  const { stdout } = await promisify(exec)(command, { cwd: workspace });
  return stdout;
}
