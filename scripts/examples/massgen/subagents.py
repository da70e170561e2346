#!/usr/bin/env python3
# Gives an agent the results of its background subagents after its next tool. Built after MassGen's subagent_complete.
# Use: subagents.py --session S --agent PARENT @results.json, once per batch; or with --print for midstream.py.

# A result: {"subagent_id", "status", "success", "answer", "error", "workspace_path", "execution_time_seconds",
# "token_usage": {"input_tokens", "output_tokens"}, "completion_percentage"}. The input is a list of them, or one.
from xml.sax.saxutils import escape

from massgen import RULE, deliver, document, producer


def quoted(value):
    return '"%s"' % escape(str(value), {'"': "&quot;"})


def one(result):
    """The answer is not escaped between its tags: a model reads it, not a parser."""
    names = quoted(result["subagent_id"]), quoted(result.get("status") or "completed")
    lines = ["<subagent_result id=%s status=%s>" % names,
             "  <execution_time>%.1fs</execution_time>" % (result.get("execution_time_seconds") or 0),
             "  <workspace>%s</workspace>" % escape(str(result.get("workspace_path") or ""))]
    tokens, percent = result.get("token_usage"), result.get("completion_percentage")
    if tokens:
        lines.append('  <token_usage input="%s" output="%s" />' % (tokens.get("input_tokens", 0), tokens.get("output_tokens", 0)))
    if percent is not None:
        lines.append("  <completion_percentage>%s%%</completion_percentage>" % percent)
    text = result.get("answer") or (result.get("error") and "Error: %s" % result["error"]) or "No output"
    lines += ['  <answer success="%s">' % str(bool(result.get("success"))).lower(), text, "  </answer>", "</subagent_result>"]
    return "\n".join(lines)


def batch(results):
    if not results:
        return ""
    title = "BACKGROUND SUBAGENT RESULTS (%d completed)" % len(results)
    return "\n".join(["", RULE, title, RULE, *map(one, results), RULE, ""])


if __name__ == "__main__":
    flags = producer("Queues the results of background subagents for their parent.").parse_args()
    results = document(flags)
    deliver(flags, batch([results] if isinstance(results, dict) else results), "subagent", flags.agent)
