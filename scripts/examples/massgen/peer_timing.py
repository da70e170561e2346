"""MassGen's rules: when an agent is shown its peers' answers in the middle of a round, and which. No side effects."""


def split(label):
    """agent1.2 is the second answer of agent1."""
    agent, _, revision = label.rpartition(".")
    return agent, int(revision)


def due(config, mine, answers, has_time):
    """The answers to show to an agent now, and whether a restart stays pending for it.

    config is the common state, mine the agent's; the README lists their keys. answers has the newest answer of each agent.
    has_time says whether at least the grace period is left before the agent is warned that its round ends."""
    pending = mine.get("restart_pending", False)
    if config.get("disable_injection") or not pending:
        return {}, pending
    if not mine.get("answered"):  # an agent finishes its first answer undisturbed
        return {}, False
    if mine.get("vote_only"):  # the vote tool cannot take a new answer now; a restart is needed
        return {}, pending
    seen = mine.get("seen", {})
    new = [who for who, a in answers.items() if split(a["label"])[1] > split(seen.get(who, ".0"))[1]]
    if defers(config, mine) or not new:
        return {}, bool(new)
    room = config.get("max_midstream_injections_per_round", 2) - mine.get("midstream_injections_this_round", 0)
    if room <= 0:
        return {}, True
    if not has_time:  # a restart gives the agent a whole round
        return {}, pending
    return {who: answers[who] for who in new[:room]}, len(new) > room


def defers(config, mine):
    """Whether answers are kept for the restart. An agent may still get them before its checklist is accepted."""
    gated = config.get("voting_sensitivity") == "checklist_gated" and not mine.get("checklist_accepted")
    early = config.get("allow_midstream_peer_updates_before_checklist_submit") and gated
    return config.get("defer_peer_updates_until_restart", False) and not early
