export { findBinary } from "./binary.js";
export { Blocked, HookrunError, ToolError } from "./errors.js";
export { Gate } from "./gate.js";
