"""LangChain, with langchain-openai: MODEL_URL=http://127.0.0.1:8000/v1 WORKSPACE=. langchain_agent.py 'tidy up'"""
import os
import subprocess
import sys

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from hookrun import Gate
from hookrun.adapters.langchain import HookrunMiddleware

WORKSPACE = os.environ.get("WORKSPACE", ".")


@tool
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(["sh", "-c", command], cwd=WORKSPACE, capture_output=True, text=True).stdout


model = ChatOpenAI(base_url=os.environ["MODEL_URL"], api_key=os.environ.get("MODEL_KEY", "none"),
                   model=os.environ.get("MODEL", "default"))
with Gate(WORKSPACE) as gate:
    agent = create_agent(model, [shell], middleware=[HookrunMiddleware(gate)])
    asked = gate.prompt(sys.argv[1])
    if not asked.runs:
        sys.exit(f"a hook blocks the prompt: {asked.stop_reason or asked.reason}")
    print(agent.invoke({"messages": [{"role": "user", "content": asked.text}]})["messages"][-1].content)
