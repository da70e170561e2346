"""CrewAI: MODEL_URL=http://127.0.0.1:8000/v1 WORKSPACE=. python crewai_crew.py 'tidy up'"""
import os
import subprocess
import sys

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

from hookrun import Gate
from hookrun.adapters.crewai import hooks

WORKSPACE = os.environ.get("WORKSPACE", ".")


@tool("shell")
def shell(command: str) -> str:
    """Runs a shell command."""
    return subprocess.run(["sh", "-c", command], cwd=WORKSPACE, capture_output=True, text=True).stdout


llm = LLM(model=os.environ.get("MODEL", "gpt-4o"), provider="openai", base_url=os.environ["MODEL_URL"],
          api_key=os.environ.get("MODEL_KEY", "none"))
with Gate(WORKSPACE) as gate, hooks(gate):
    asked = gate.prompt(sys.argv[1])
    if not asked.runs:
        sys.exit(f"a hook blocks the prompt: {asked.stop_reason or asked.reason}")
    worker = Agent(role="worker", goal="Do the task.", backstory="You work in a shell.", llm=llm, tools=[shell])
    task = Task(description=asked.text, expected_output="What you did.", agent=worker)
    print(Crew(agents=[worker], tasks=[task]).kickoff())
