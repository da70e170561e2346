# What the hooks that only hint share: a text for both. A system message is for the person, and the model would never see it.
# Use: from advice import advice
from guards import context, hint


def advice(call, said, to_model=None):
    """A text for the person, and the same or another one for the model. The tool runs. A call that does not name its event comes
    from nobody who reads the second one."""
    return {**hint(said), **(context(call, to_model or said) if "hook_event_name" in call else {})}
