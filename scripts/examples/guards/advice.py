# Shared by hooks that only advise: a text for the person and the model, who never sees a system message.
# Use: from advice import advice
from guards import context, hint


def advice(call, said, to_model=None):
    """A text for the person, and the same or another one for the model. The tool runs. If the call does not name its event,
    nobody reads the second text."""
    return {**hint(said), **(context(call, to_model or said) if "hook_event_name" in call else {})}
