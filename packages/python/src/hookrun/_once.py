"""One call by a command of its own, for where there can be no server."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any

from ._errors import HookrunError

FILES = ("args", "result", "prompt")  # a value may be too long for a command line, and must not be seen there


def run(argv: list[str], env: dict[str, str], params: dict[str, Any], timeout: float) -> Any:
    """Runs `hookrun pre-tool -o json` or the like, and returns the outcome."""
    with tempfile.TemporaryDirectory(prefix="hookrun-") as folder:
        flags = ["--output=json"]
        for name, value in params.items():
            flag = "--" + name.replace("_", "-")
            if name in FILES:
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
                    file.write(value if isinstance(value, str) else _json(value))
                flags.append(f"{flag}=@{path}")
            elif value is True:
                flags.append(flag)
            elif value is not False:
                flags.append(f"{flag}={value}")
        try:
            done = subprocess.run([*argv, *flags], stdin=subprocess.DEVNULL, capture_output=True, env=env,
                                  timeout=timeout, check=False,
                                  creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0))
        except subprocess.TimeoutExpired:
            raise HookrunError(f"the hooks gave no verdict within {timeout:g} s") from None
        except (OSError, ValueError, RuntimeError) as error:
            raise HookrunError(f"{argv[0]} cannot be started: {error}") from error
    if done.returncode not in (0, 2, 3):
        said = done.stderr.decode("utf-8", "replace").strip()
        raise HookrunError(f"the hooks gave no verdict: {said or f'exit code {done.returncode}'}")
    try:
        outcome = json.loads(done.stdout)
    except (ValueError, RecursionError) as error:
        raise HookrunError(f"{argv[0]} gave an answer that cannot be read ({error}); is the program hookrun?"
                           ) from error
    if isinstance(outcome, dict) and (outcome.get("decision") == "continue" and not outcome.get("stop")) != (
            done.returncode == 0):
        raise HookrunError(f"{argv[0]} gave an answer that its exit code {done.returncode} does not fit")
    return outcome


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise HookrunError(f"the arguments or the result are no JSON: {error}; give a value of JSON, or a text"
                           ) from error
