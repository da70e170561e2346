import { query } from "@anthropic-ai/claude-agent-sdk";
import { Gate } from "hookrun";
import { hooksOf } from "hookrun/adapters/claude";

query({ prompt: "", options: { hooks: hooksOf(new Gate(), ["PreToolUse", "PostToolUse"]) } });
