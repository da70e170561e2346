"""Claude Agent SDK: ANTHROPIC_API_KEY=… WORKSPACE=. python claude_agent_query.py 'tidy up'"""
import asyncio
import os
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from hookrun import AsyncGate
from hookrun.adapters.claude_agent import hooks

WORKSPACE = os.environ.get("WORKSPACE", ".")


async def main() -> None:
    async with AsyncGate(WORKSPACE) as gate:
        options = ClaudeAgentOptions(cwd=WORKSPACE, setting_sources=[], allowed_tools=["Bash"], hooks=hooks(gate))
        async for message in query(prompt=sys.argv[1], options=options):
            if isinstance(message, ResultMessage):
                print(message.result)


asyncio.run(main())
