#!/usr/bin/env python3
# Tells an agent which background tools are done, after its next tool. After MassGen's background_tool_complete.
# Use: background_tools.py --session S --agent A @jobs.json, once per batch; or with --print for midstream.py.

# A job: {"job_id", "tool_name", "status", "result", "error"}. The input is a list of them, or one.
import json

from massgen import RULE, deliver, document, producer

LONGEST = 600  # characters of a result


def shown(result):
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return text[:LONGEST] + "..." if len(text) > LONGEST else text


def batch(jobs):
    if not jobs:
        return ""
    lines = ["", RULE, "🔄 BACKGROUND TOOL RESULTS", RULE, ""]
    for job in jobs:
        names = job.get("job_id", "unknown"), job.get("tool_name", "unknown_tool"), job.get("status", "completed")
        lines.append("- [%s] %s (%s)" % names)
        if job.get("result"):
            lines.append("  Result: " + shown(job["result"]))
        elif job.get("error"):
            lines.append("  Error: %s" % job["error"])
        lines.append("")
    return "\n".join([*lines, RULE])


if __name__ == "__main__":
    flags = producer("Queues the results of background tools for the agent that started them.").parse_args()
    jobs = document(flags)
    deliver(flags, batch([jobs] if isinstance(jobs, dict) else jobs), "background_tool", flags.agent)
