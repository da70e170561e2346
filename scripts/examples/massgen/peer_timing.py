"""When an agent is told of its peers' answers in the middle of a round, and of which: MassGen's rules, without any effect."""


def split(label):
    """agent1.2 is the second answer of agent1."""
    agent, _, revision = label.rpartition(".")
    return agent, int(revision)


def due(config, mine, answers, has_time):
    """The answers to show to an agent now, and whether a restart stays pending for it.

    config is what holds for all, mine what is known of this agent; README names the keys. answers is by agent, each its newest.
    has_time says whether there is at least the grace period left until the agent is warned of the end of its round."""
    pending = mine.get("restart_pending", False)
    if config.get("disable_injection") or not pending:
        return {}, pending
    if not mine.get("answered"):  # everybody ends a first answer undisturbed
        return {}, False
    if mine.get("vote_only"):  # the vote tool cannot learn of a new answer now: only a restart helps
        return {}, pending
    seen = mine.get("seen", {})
    new = [who for who, a in answers.items() if split(a["label"])[1] > split(seen.get(who, ".0"))[1]]
    if defers(config, mine) or not new:
        return {}, bool(new)
    room = config.get("max_midstream_injections_per_round", 2) - mine.get("midstream_injections_this_round", 0)
    if room <= 0:
        return {}, True
    if not has_time:  # a restart gives it a whole round to think
        return {}, pending
    return {who: answers[who] for who in new[:room]}, len(new) > room


def defers(config, mine):
    """Peers' answers can be kept for the restart; if so, until the checklist is in, an agent may still hear of them."""
    gated = config.get("voting_sensitivity") == "checklist_gated" and not mine.get("checklist_accepted")
    early = config.get("allow_midstream_peer_updates_before_checklist_submit") and gated
    return config.get("defer_peer_updates_until_restart", False) and not early
