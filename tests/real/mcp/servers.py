"""A server made with the official Python SDK, as a server that the user of elophanto added.

Environment: ELOPHANTO (the program), REPO, SEALED (its environment as JSON).
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time

import uvicorn
from mcp.server import MCPServer

REPO = os.environ["REPO"]
ENVIRONMENT = json.loads(os.environ["SEALED"])
failed = 0

server = MCPServer("harbour-tools")


@server.tool()
def tide(place: str) -> str:
    """Says when the tide turns."""
    return f"the tide at {place} turns at noon"


@server.tool()
def broken() -> str:
    """Always fails."""
    raise ValueError("the gauge is wet")


def check(name, holds, seen=""):
    global failed
    failed += not holds
    print(f"ok: {name}" if holds else f"FAILED: {name}\n    {str(seen)[:900]}", flush=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def served(**options):
    """The address of the server, with these options, in a thread of its own."""
    port = free_port()
    app = server.streamable_http_app(**options)
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")
    threading.Thread(target=uvicorn.Server(config).run, daemon=True).start()
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return f"http://127.0.0.1:{port}/mcp"
        except OSError:
            time.sleep(0.05)
    sys.exit("the server does not start")


def elophanto(*words):
    done = subprocess.run(
        [os.environ["ELOPHANTO"], *words], cwd=REPO, env=ENVIRONMENT, text=True, capture_output=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


for kind, options in [
    ("events", {}),
    ("plain JSON", {"json_response": True}),
    ("no sessions", {"stateless_http": True}),
]:
    url = served(**options)
    code, out, err = elophanto("agent", "mcp", "add", "harbour", url, "--trust", "--json")
    names = [tool["name"] for tool in json.loads(out)["tools"]] if code == 0 else []
    check(f"{kind}: its tools are seen", names == ["harbour_broken", "harbour_tide"], (code, out, err))
    code, out, err = elophanto("agent", "mcp", "trust", "harbour", "--json")
    check(f"{kind}: what it offers stays the same", code == 0, (code, out, err))
    code, out, err = elophanto("agent", "mcp", "remove", "harbour")
    check(f"{kind}: it is removed", code == 0, (code, out, err))

sys.exit(1 if failed else 0)
