# Runs a Python function as a hook of MassGen: the argument is module.function, a HookEvent comes on stdin as JSON, and the
# HookResult goes to stdout. What the function prints goes to stderr, since stdout is for the answer.
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]  # the workspace comes last: a json.py in it must not take the place of Python's own
import asyncio, dataclasses, datetime, enum, importlib.machinery, importlib.util, inspect, json, os, threading, time, types

answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
sys.stdout = sys.stderr
sys.path.append(os.getcwd())


class HookType(enum.Enum):
    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"


class InjectionDeliveryStatus(str, enum.Enum):
    QUEUED = "queued"
    DELIVERED = "delivered"
    DEFERRED = "deferred"
    FAILED = "failed"


@dataclasses.dataclass
class HookEvent:
    hook_type: str = "PreToolUse"
    session_id: str = ""
    orchestrator_id: str = ""
    agent_id: "str | None" = None
    timestamp: "datetime.datetime | None" = None
    tool_name: str = ""
    tool_input: dict = dataclasses.field(default_factory=dict)
    tool_output: "str | None" = None

    def to_dict(self):
        return {**dataclasses.asdict(self), "timestamp": self.timestamp and self.timestamp.isoformat()}

    def to_json(self):
        return json.dumps(self.to_dict())


@dataclasses.dataclass
class HookResult:
    allowed: bool = True
    metadata: dict = dataclasses.field(default_factory=dict)
    modified_args: "str | None" = None
    decision: str = "allow"
    reason: "str | None" = None
    updated_input: "dict | None" = None
    inject: "dict | None" = None
    hook_errors: list = dataclasses.field(default_factory=list)
    hook_name: "str | None" = None
    hook_type: "str | None" = None
    execution_time_ms: "float | None" = None
    executed_hooks: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if not self.allowed:
            self.decision = "deny"
        elif self.decision == "deny":
            self.allowed = False

    @classmethod
    def from_dict(cls, data):
        known = {f.name for f in dataclasses.fields(cls)}
        return cls(**{k: v for k, v in data.items() if k in known})

    allow = classmethod(lambda cls: cls())
    deny = classmethod(lambda cls, reason=None: cls(allowed=False, decision="deny", reason=reason))
    ask = classmethod(lambda cls, reason=None: cls(decision="ask", reason=reason))

    def add_error(self, error):
        self.hook_errors.append(error)

    def has_errors(self):
        return bool(self.hook_errors)


class Elsewhere:
    """What registers hooks in MassGen. Here a file of hooks does that."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


def stand_in():
    """Where MassGen is not installed, hooks that import its types find these. A folder massgen of the workspace may have
    hooks and no such types."""
    missing = ["massgen.mcp_tools", "massgen.mcp_tools.hooks"]
    package = importlib.util.find_spec("massgen")
    if package is None:
        missing.insert(0, "massgen")
    elif importlib.machinery.PathFinder.find_spec("massgen.mcp_tools", package.submodule_search_locations) is not None:
        return
    for name in missing:
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = []
        parent, _, child = name.rpartition(".")
        if parent in missing:
            setattr(sys.modules[parent], child, module)
    for kind in (HookType, InjectionDeliveryStatus, HookEvent, HookResult):
        setattr(module, kind.__name__, kind)
    module.GeneralHookManager = module.PythonCallableHook = Elsewhere


def find(path):
    module, dot, name = path.rpartition(".")
    if not dot:
        raise ImportError("Invalid callable path: " + path)
    function = getattr(importlib.import_module(module), name)
    if not callable(function):
        raise ImportError("%s is no function" % path)
    return function


def as_dict(result):
    if result is None:
        return {}
    if isinstance(result, dict):
        return result
    if hasattr(result, "decision") and hasattr(result, "allowed"):
        return {f.name: getattr(result, f.name, None) for f in dataclasses.fields(HookResult)}
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError("the function yields, so nothing of it ran; return a HookResult")
    return {NO_RESULT: type(result).__name__}


NO_RESULT = "hookrun_no_result"  # the type of what a function returned that is no HookResult
KNOWN = {f.name for f in dataclasses.fields(HookResult)}
MAX_OTHER = 2_000  # of characters of a value beside a HookResult's, and 20 of them: they are only looked at


def others(result):
    """What a function returned beside a HookResult's fields. MassGen passes over it. hookrun looks whether it was meant to deny."""
    found = {}
    for key, value in result.items():
        if key in KNOWN or len(found) >= 20:
            continue
        try:
            text = json.dumps(value, allow_nan=False)
        except Exception:
            value, text = repr(value), ""
        if len(text) > MAX_OTHER or isinstance(value, str):
            value = str(value)[:100]
        found[str(key)[:100]] = value
    allowed = result.get("allowed", True)
    if not isinstance(allowed, bool):  # it is none of Python's words for false, which deny
        found["allowed"] = str(allowed)[:100]
    return found


MAX_REASON = 50_000  # of characters: hookrun keeps 1 MiB of an answer


def sendable(result):
    """What of a result is asked for, as JSON. A no must get through whatever is beside it: JSON can say less than Python."""
    denied = not result.get("allowed", True) or result.get("decision") == "deny"
    metadata = result.get("metadata")
    reason = result.get("reason") or (metadata.get("reason") if isinstance(metadata, dict) else None)
    sent = {"reason": None if reason is None else str(reason)[:MAX_REASON]}
    if denied:
        return json.dumps({"allowed": False, **sent})
    sent["decision"] = result.get("decision")
    more = {key: result.get(key) for key in ("modified_args", "updated_input", "inject")}
    try:
        return json.dumps({**others(result), **sent, **more, "hook_errors": [str(e) for e in result.get("hook_errors") or []]})
    except Exception as e:
        if sent["decision"] != "ask":
            raise
        return json.dumps({**sent, "hook_errors": ["what the hook answered beside its question is lost: %s" % e]})


def say(text):
    answer.write(text)
    answer.flush()


def leave():
    """Ends the process. Threads that the function left behind have a second: an answer counts when the process is gone."""
    until = time.monotonic() + 1
    while True:
        left = [t for t in threading.enumerate() if t is not threading.current_thread() and not t.daemon]
        wait = until - time.monotonic()
        if not left or wait <= 0:
            break
        left[0].join(wait)  # it may have started another
    sys.stderr.flush()
    if left:
        os._exit(0)
    sys.exit()


stand_in()
fields = json.loads(sys.stdin.buffer.read().decode("utf-8"))
try:
    function = find(sys.argv[1])
except BaseException as e:
    reason = "Hook import failed: %s" % (str(e) or type(e).__name__)
    say(json.dumps({"allowed": False, "reason": reason[:MAX_REASON], "metadata": {"import_error": True}}))
    leave()
kind = getattr(sys.modules.get("massgen.mcp_tools.hooks"), "HookEvent", HookEvent)
fields["timestamp"] = datetime.datetime.fromisoformat(fields["timestamp"])
result = function(kind(**fields))
if inspect.isawaitable(result):
    async def wait(): return await result
    result = asyncio.run(wait())
say(sendable(as_dict(result)))
leave()
