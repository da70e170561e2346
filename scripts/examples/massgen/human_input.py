#!/usr/bin/env python3
# Gives agents what a person types while they work, after their next tool. Built after MassGen's human_input_hook.
# Use: echo '{"content": "stop at 5 pages", "target_agents": ["agent1"]}' | human_input.py --session S

# A message: {"content", "target_agents", "source"}. The input is one message or a list. Without target_agents (or with
# null) it goes to each agent of the session, until the queue is cleared. An empty list sends it to nobody.
# The queue keeps the order, and gives each message to each agent once.
from massgen import deliver, document, producer

if __name__ == "__main__":
    flags = producer("Queues what a person says to the agents.").parse_args()
    messages = document(flags)
    for message in [messages] if isinstance(messages, dict) else messages:
        targets = message.get("target_agents")
        if targets is not None:
            targets = sorted({name for name in targets if isinstance(name, str) and name.strip()})
        source = message.get("source")
        source = source if isinstance(source, str) and source.strip() else "human"
        if targets != [] and message["content"].strip():
            deliver(flags, "\n[Human Input]: %s\n" % message["content"], source, flags.agent if targets is None else targets)
