// Builds hookrun once and runs the tests: node test/run.js [FILE…]. HOOKRUN_TEST_ALL=1 also runs those of frameworks.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { testBinary } from "./kit.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const list = (folder) => readdirSync(here + folder).filter((f) => f.endsWith(".test.js")).map((f) => here + folder + f);
const all = process.env.HOOKRUN_TEST_ALL ? list("adapters/") : [];
const files = process.argv.length > 2 ? process.argv.slice(2) : [...list(""), ...all];
const env = { ...process.env, HOOKRUN_TEST_BINARY: testBinary() };
const args = ["--test", "--test-concurrency=4", "--test-reporter=spec", ...files]; // most of it waits for processes
const run = spawnSync(process.execPath, args, { env, stdio: "inherit" });
process.exitCode = run.status ?? 1;
