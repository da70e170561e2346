# Shared by the hooks after a tool: the text of an error.
# Use: from tool_errors import error, said
from guards import failed, result
import json  # after guards, which moves this folder to the end of the path


def said(call):
    """What the tool returned. The text of a JSON object is parsed."""
    value = result(call)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            pass
    return value


def error(call):
    """The text of an error; empty if the result is none, has no text, or a person stopped the tool."""
    value = said(call)
    if call.get("is_interrupt") is True or not (failed(call) or isinstance(value, dict) and value.get("is_error") is True):
        return ""
    return words(value).strip()


def words(value):
    """The text in a result: that of the first of these keys, and of the text blocks of a list."""
    if isinstance(value, dict):
        return words(next((value[key] for key in ("content", "result", "error", "message", "text") if value.get(key)), ""))
    if isinstance(value, list):
        return "\n".join(filter(None, map(words, value)))
    return value if isinstance(value, str) else ""
