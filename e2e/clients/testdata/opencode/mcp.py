import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = {}
    if request["method"] == "initialize":
        result = {"protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "srv", "version": "1"}}
    elif request["method"] == "tools/list":
        result = {"tools": [{"name": "echo", "description": "echoes", "inputSchema": {"type": "object"}}]}
    elif request["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": "the home address"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
