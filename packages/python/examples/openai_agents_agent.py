"""OpenAI Agents SDK: MODEL_URL=http://127.0.0.1:8000/v1 WORKSPACE=. python openai_agents_agent.py 'tidy up'"""
import asyncio
import os
import subprocess
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from hookrun import AsyncGate
from hookrun.adapters import guard_prompt
from hookrun.adapters.openai_agents import guard

WORKSPACE = os.environ.get("WORKSPACE", ".")


@function_tool
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(["sh", "-c", command], cwd=WORKSPACE, capture_output=True, text=True).stdout


async def main() -> None:
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key=os.environ.get("MODEL_KEY", "none"))
    model = OpenAIChatCompletionsModel(os.environ.get("MODEL", "default"), client)
    async with AsyncGate(WORKSPACE) as gate:
        agent = Agent(name="worker", tools=guard(gate, [shell]), model=model)
        result = await Runner.run(agent, await guard_prompt(gate, sys.argv[1]))
        print(result.final_output)


asyncio.run(main())
