"""Servers made with the official Python SDK, as servers that the user of elophanto added: open ones, and
one that wants a sign-in, which the SDK itself handles.

Environment: ELOPHANTO (the program), REPO, SEALED (its environment as JSON).
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthToken

REPO = os.environ["REPO"]
ENVIRONMENT = json.loads(os.environ["SEALED"])
failed = 0


def tools(**options):
    """A server with two tools."""
    server = MCPServer("harbour-tools", **options)

    @server.tool()
    def tide(place: str) -> str:
        """Says when the tide turns."""
        return f"the tide at {place} turns at noon"

    @server.tool()
    def broken() -> str:
        """Always fails."""
        raise ValueError("the gauge is wet")

    return server


class Issuer(OAuthAuthorizationServerProvider):
    """Signs everybody in at once, in memory."""

    def __init__(self):
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}
        self.renewals = 0

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = AuthorizationCode(
            code=secrets.token_hex(), scopes=params.scopes or [], expires_at=time.time() + 60,
            client_id=client.client_id, code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri, resource=params.resource,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        return self.granted(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        del self.refresh[refresh_token.token]  # Each is good once.
        self.renewals += 1
        return self.granted(client, scopes, refresh_token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        pass

    def granted(self, client, scopes, resource):
        kind = {"client_id": client.client_id, "scopes": scopes, "resource": resource}
        access, refresh = secrets.token_hex(), secrets.token_hex()
        self.access[access] = AccessToken(token=access, **kind)
        self.refresh[refresh] = RefreshToken(token=refresh, **kind)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=3600)


def check(name, holds, seen=""):
    global failed
    failed += not holds
    print(f"ok: {name}" if holds else f"FAILED: {name}\n    {str(seen)[:900]}", flush=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def served(server, port, **options):
    """The address of the server, with these options, in a thread of its own."""
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


def start(*words):
    """The program, with the passphrase of the vault."""
    read, write = os.pipe()
    os.write(write, b"otters hold hands\n")
    os.close(write)
    program = subprocess.Popen(
        [os.environ["ELOPHANTO"], *words], cwd=REPO, text=True, pass_fds=[read],
        env={**ENVIRONMENT, "ELOPHANTO_VAULT_FD": str(read)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    os.close(read)
    return program


def elophanto(*words):
    program = start(*words)
    out, err = program.communicate(timeout=120)
    return program.returncode, out, err


for kind, options in [
    ("events", {}),
    ("plain JSON", {"json_response": True}),
    ("no sessions", {"stateless_http": True}),
]:
    url = served(tools(), free_port(), **options)
    code, out, err = elophanto("agent", "mcp", "add", "harbour", url, "--trust", "--json")
    names = [tool["name"] for tool in json.loads(out)["tools"]] if code == 0 else []
    check(f"{kind}: its tools are seen", names == ["harbour_broken", "harbour_tide"], (code, out, err))
    code, out, err = elophanto("agent", "mcp", "trust", "harbour", "--json")
    check(f"{kind}: what it offers stays the same", code == 0, (code, out, err))
    code, out, err = elophanto("agent", "mcp", "remove", "harbour")
    check(f"{kind}: it is removed", code == 0, (code, out, err))

port, issuer = free_port(), Issuer()
base = f"http://127.0.0.1:{port}"
settings = AuthSettings(
    issuer_url=base, resource_server_url=f"{base}/mcp", required_scopes=["tide"],
    validate_token_resource=True,
    client_registration_options=ClientRegistrationOptions(
        enabled=True, valid_scopes=["tide"], default_scopes=["tide"]
    ),
)
url = served(tools(auth_server_provider=issuer, auth=settings), port)
code, out, err = elophanto("agent", "mcp", "add", "harbour", url, "--trust")
check("sign-in: it is asked for", code == 1 and "agent mcp login harbour" in err, (code, out, err))
login = start("agent", "mcp", "login", "harbour")
said = []
while not said or not said[-1].startswith("http"):
    said.append(login.stderr.readline())
    if not said[-1]:
        break
try:
    with urllib.request.urlopen(said[-1].strip(), timeout=30) as page:
        page = page.read().decode()
except ValueError as error:
    page = str(error)
out, err = login.communicate(timeout=60)
check("sign-in: the browser comes back", page.startswith("Signed in"), (page, said, out, err))
check("sign-in: it is kept", login.returncode == 0, (said, out, err))
secret = [*issuer.access, *issuer.refresh]
check("sign-in: no token is shown", not any(it in "".join(said) + out + err for it in secret), out)
code, out, err = elophanto("agent", "mcp", "trust", "harbour", "--yes", "--json")
check("sign-in: its tools are seen", code == 0 and "harbour_tide" in out, (code, out, err))
for time_ in [1, 2]:
    issuer.access.clear()
    code, out, err = elophanto("agent", "mcp", "trust", "harbour", "--yes", "--json")
    check(f"sign-in: renewed, time {time_}", code == 0 and issuer.renewals == time_, (code, out, err))
issuer.access.clear()
issuer.refresh.clear()
code, out, err = elophanto("agent", "mcp", "trust", "harbour", "--yes")
check("sign-in: asked for again when it ended", code == 2 and "wants you to sign in" in err, (code, err))
code, out, err = elophanto("agent", "mcp", "logout", "harbour")
check("sign-in: forgotten", code == 0, (code, out, err))

sys.exit(1 if failed else 0)
