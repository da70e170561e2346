"""Pydantic AI, with its extra openai: MODEL_URL=http://127.0.0.1:8000/v1 WORKSPACE=. pydantic_ai_agent.py 'tidy'"""
import asyncio
import os
import subprocess
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from hookrun import AsyncGate
from hookrun.adapters import guard_prompt
from hookrun.adapters.pydantic_ai import Hookrun

WORKSPACE = os.environ.get("WORKSPACE", ".")


def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(["sh", "-c", command], cwd=WORKSPACE, capture_output=True, text=True).stdout


async def main() -> None:
    provider = OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key=os.environ.get("MODEL_KEY", "none"))
    model = OpenAIChatModel(os.environ.get("MODEL", "default"), provider=provider)
    async with AsyncGate(WORKSPACE) as gate:
        agent = Agent(model, tools=[shell], capabilities=[Hookrun(gate)])
        result = await agent.run(await guard_prompt(gate, sys.argv[1]))
        print(result.output)


asyncio.run(main())
