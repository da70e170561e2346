"""Google ADK: GOOGLE_API_KEY=… MODEL=gemini-flash-latest WORKSPACE=. python google_adk_agent.py 'tidy up'"""
import asyncio
import os
import subprocess
import sys

from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner

from hookrun import AsyncGate
from hookrun.adapters.google_adk import HookrunPlugin

WORKSPACE = os.environ.get("WORKSPACE", ".")


def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(["sh", "-c", command], cwd=WORKSPACE, capture_output=True, text=True).stdout


async def main() -> None:
    model = Gemini(model=os.environ.get("MODEL", "gemini-flash-latest"), base_url=os.environ.get("MODEL_URL"))
    async with AsyncGate(WORKSPACE) as gate:
        agent = LlmAgent(name="worker", model=model, tools=[shell])
        runner = InMemoryRunner(agent, app_name="worker", plugins=[HookrunPlugin(gate)])
        for event in await runner.run_debug(sys.argv[1], quiet=True):
            for part in event.content.parts if event.content and event.is_final_response() else []:
                print(part.text or part.function_response.response)


asyncio.run(main())
