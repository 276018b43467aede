"""The official Python SDK against the server, in every version of the protocol that it speaks.

Environment: ELOPHANTO (the program), REPO, SEALED (the server's environment as JSON), URL, TOKEN.
"""

import json
import os
import sys
import warnings
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
import mcp.client.session
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

warnings.simplefilter("ignore")  # What 2026-07-28 took away is tried with the versions that have it.

REPO = Path(os.environ["REPO"])
CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
IDENTITY = types.Implementation(name="harbour-test", version="1.0.0")
INVALID = -32602
STATUSES = []  # of all answers over HTTP
failed = 0


@asynccontextmanager
async def check(name):
    """One line: whether what stands in this block held."""
    global failed
    try:
        with anyio.fail_after(60):
            yield
        print(f"ok: {name}", flush=True)
    except Exception as error:
        failed += 1
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        line = error.__traceback__ and error.__traceback__.tb_lineno
        print(f"FAILED: {name}\n    {type(error).__name__} at {line}: {str(error)[:900]}", flush=True)


def must(holds, *seen):
    if not holds:
        raise AssertionError(f"not so: {' '.join(str(it) for it in seen)}")


def same(a, b):
    must(a == b, repr(a), "is not", repr(b))


@asynccontextmanager
async def refusal(code, says=""):
    try:
        yield
    except MCPError as error:
        must(error.code == code and says in error.message, error.code, error.message)
        return
    raise AssertionError("succeeded")


def at(value, pointer):
    for key in pointer.split("/")[1:]:
        value = (value or {}).get(key) if not isinstance(value, list) else (value + [None])[int(key)]
    return value


def filled(value, session, kept):
    """`@` becomes the name of this session, a whole text `$name` what was kept under that name."""
    if isinstance(value, str):
        return kept.get(value[1:]) if value.startswith("$") else value.replace("@", session)
    if isinstance(value, list):
        return [filled(it, session, kept) for it in value]
    if isinstance(value, dict):
        return {key: filled(it, session, kept) for key, it in value.items()}
    return value


@asynccontextmanager
async def transport(kind, token=os.environ["TOKEN"]):
    if kind == "stdio":
        server = StdioServerParameters(
            command=os.environ["ELOPHANTO"],
            args=["agent", "mcp", "serve"],
            cwd=REPO,
            env=json.loads(os.environ["SEALED"]),
        )
        with open(os.devnull, "w") as nothing:
            async with stdio_client(server, errlog=nothing) as streams:
                yield streams
    else:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with create_mcp_http_client(headers=headers) as http:
            async def note(response):
                STATUSES.append(response.status_code)

            http.event_hooks["response"].append(note)
            async with streamable_http_client(os.environ["URL"], http_client=http) as streams:
                yield streams


@asynccontextmanager
async def connect(kind, version, **more):
    # The SDK only ever asks for its newest handshake, and then takes whatever the server chose.
    is_modern = version in MODERN_PROTOCOL_VERSIONS
    if not is_modern:
        mcp.client.session.LATEST_HANDSHAKE_VERSION = version
    mode = version if is_modern else "legacy"
    async with Client(
        transport(kind, **more.pop("transport", {})), mode=mode, client_info=IDENTITY, read_timeout_seconds=60, cache=None, **more
    ) as client:
        yield client


async def until(what, holds, again, seconds=15):
    with anyio.move_on_after(seconds):
        while True:
            again()
            for _ in range(40):
                if holds():
                    return
                await anyio.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds} s")


async def session(label, name, kind, version):
    updated, listed = [], []

    async def heard(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            updated.append(message.params.uri)
        elif isinstance(message, types.ResourceListChangedNotification):
            listed.append(True)

    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(connect(kind, version, message_handler=heard))
        except Exception as error:
            async with check(f"{label}: connects"):
                raise error
            return
        async with check(f"{label}: connects"):
            same(client.protocol_version, version)
            if version in HANDSHAKE_PROTOCOL_VERSIONS:
                same(client.server_info.name, "elophanto")
                must("quoted data" in client.instructions)
                able = client.server_capabilities
                must(able.tools and able.prompts and able.resources.subscribe and able.resources.list_changed, able)
        await tried(label, name, kind, version, client, updated, listed)


async def tried(label, name, kind, version, client, updated, listed):
    is_modern = version in MODERN_PROTOCOL_VERSIONS
    kept = {}
    async with check(f"{label}: tools are listed with schemas and annotations"):
        tools = (await client.list_tools()).tools
        if version == HANDSHAKE_PROTOCOL_VERSIONS[0]:  # which knows neither annotations nor output schemas
            same([tool.name for tool in tools], list(CASES["tools"]))
        else:
            same({tool.name: tool.annotations.read_only_hint for tool in tools}, CASES["tools"])
        for tool in tools:
            must(tool.description and tool.input_schema["type"] == "object", tool)
            if version >= "2025-06-18":
                must(tool.output_schema["type"] == "object", tool)
    for index, case in enumerate(CASES["calls"]):
        async with check(f"{label}: call {index + 1}, {case['tool']} {json.dumps(case['arguments'], ensure_ascii=False)}"):
            result = await client.call_tool(case["tool"], filled(case["arguments"], name, kept))
            # Held against the tool's output schema by the SDK, where the version has one.
            await client.session.validate_tool_result(case["tool"], result)
            must(not result.is_error and result.content[0].type == "text", result)
            text = filled(case.get("text", ""), name, kept)
            must(text in result.content[0].text, result.content[0].text, "lacks", text)
            found = result.structured_content
            if version >= "2025-06-18" or found is not None:
                same(at(found, case["at"]), filled(case["is"], name, kept))
                kept.update({key: at(found, pointer) for key, pointer in case.get("keep", {}).items()})
    for case in CASES["refused"]:
        async with check(f"{label}: refuses {case['tool']} {json.dumps(case['arguments'])}"):
            result = await client.call_tool(case["tool"], filled(case["arguments"], name, kept))
            must(result.is_error and case["says"] in result.content[0].text, result)
    async with check(f"{label}: an unknown tool is an error that names the one meant"):
        async with refusal(INVALID, "did you mean `search`?"):
            await client.call_tool("serch", {})
    async with check(f"{label}: resources are listed in pages, each once, and all can be read"):
        uris, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            page = await client.list_resources(cursor=cursor)
            must(all(it.mime_type == "text/markdown" and it.size != 0 for it in page.resources), page)
            uris += [it.uri for it in page.resources]
            cursor, pages = page.next_cursor, pages + 1
        same(pages, 2)
        must(len(uris) > 110 and len(set(uris)) == len(uris), len(uris))
        for uri in (uri for uri in uris if "/many/" not in uri):
            contents = (await client.read_resource(uri)).contents
            must(len(contents) == 1 and contents[0].uri == uri and contents[0].text.startswith("Quoted from"), contents)
        must(any("/entities/" in uri for uri in uris) and any("%F0%9F%A6%80" in uri for uri in uris), uris)
    async with check(f"{label}: the template of resources"):
        templates = (await client.list_resource_templates()).resource_templates
        same([it.uri_template for it in templates], ["elophanto://note/{+path}"])
    not_found = INVALID if is_modern else -32002
    for uri in CASES["faulty_uris"]:
        async with check(f"{label}: nothing is read at {uri}"):
            async with refusal(not_found):
                await client.read_resource(uri)
    async with check(f"{label}: a cursor of nobody's is refused"):
        async with refusal(INVALID):
            await client.list_resources(cursor="../../etc")
    async with check(f"{label}: prompts"):
        prompts = (await client.list_prompts()).prompts
        same([prompt.name for prompt in prompts], list(CASES["prompts"]))
        for prompt in prompts:
            same([it.name for it in prompt.arguments if it.required], ["task"])
    for prompt, cases in CASES["prompts"].items():
        for arguments in cases:
            async with check(f"{label}: prompt {prompt} {json.dumps(arguments)}"):
                messages = (await client.get_prompt(prompt, arguments)).messages
                same([message.role for message in messages], ["user"])
                must(all(json.dumps(it) in messages[0].content.text for it in arguments.values()), messages)
    for case in CASES["faulty_prompts"]:
        async with check(f"{label}: refuses prompt {case['name']} {json.dumps(case['arguments'])}"):
            async with refusal(INVALID, case["says"]):
                await client.get_prompt(case["name"], case["arguments"])
    async with check(f"{label}: progress is told to who asks"):
        steps = []

        async def step(done, total, message):
            steps.append((done, total, message))

        # The watching server may have read the note before: then there is nothing to tell.
        for attempt in range(5):
            for index in range(5):
                (REPO / f"notes/progress-{index}.md").write_text(f"# Progress {index}\n\n{name}, round {attempt}\n")
            result = await client.call_tool("search", {"query": "progress"}, progress_callback=step)
            must(not result.is_error, result)
            if steps:
                break
        must(steps and steps == sorted(steps), steps)
        must(all(0 < done <= total and message == "notes" for done, total, message in steps), steps)
    async with check(f"{label}: a call can be cancelled, the others go on"):
        answers = []
        path = f"knowledge/learned/notes/cancelled-{name}.md"
        first = anyio.Event()

        async def other(index):
            answers.append(await client.call_tool("search", {"query": f"ferry and {index}"}))
            first.set()

        async with anyio.create_task_group() as group:
            # Only so many calls run at once: those before it keep the last one waiting.
            for index in range(40):
                group.start_soon(other, index)
            await first.wait()
            with anyio.move_on_after(0.005) as scope:
                await client.call_tool("write_note", {"title": "Cancelled", "text": "No.", "path": path})
        same((scope.cancelled_caught, len(answers)), (True, 40))
        must(not any(answer.is_error for answer in answers), answers)
        must(not (await client.call_tool("status", {})).is_error)
        if kind == "stdio":
            must((await client.call_tool("get", {"path": path})).is_error, "the cancelled call was done")
    async with check(f"{label}: changed notes are told"):
        a, b, created = "notes/watched a.md", "notes/watched-b.md", f"notes/new-{name}.md"
        uri = {path: "elophanto://note/" + path.replace(" ", "%20") for path in (a, b, created)}

        def write(*paths):
            for path in paths:
                with open(REPO / path, "a") as note:
                    note.write(f"\nSaid in {name}.\n")

        def create():
            with open(REPO / created, "a") as note:
                note.write(f"# New {name}\n\n")
            (REPO / f"notes/newer-{name}-{len(listed)}.md").write_text(f"# Newer {name}\n")

        if is_modern:
            async with client.listen(resources_list_changed=True, resource_subscriptions=[uri[a], uri[b]]) as events:
                same(sorted(events.honored.resource_subscriptions), sorted([uri[a], uri[b]]))
                async with anyio.create_task_group() as group:

                    async def collect():
                        async for event in events:
                            if isinstance(event, ResourceUpdated):
                                updated.append(event.uri)
                            elif isinstance(event, ResourcesListChanged):
                                listed.append(True)

                    group.start_soon(collect)
                    await until("a change", lambda: {uri[a], uri[b]} <= set(updated), lambda: write(a, b))
                    await until("the list's change", lambda: listed, create)
                    group.cancel_scope.cancel()
        else:
            for path in (a, b):
                await client.subscribe_resource(uri[path])
            await until("a change", lambda: {uri[a], uri[b]} <= set(updated), lambda: write(a, b))
            listed.clear()
            await until("the list's change", lambda: listed, create)
            await client.unsubscribe_resource(uri[a])
            await anyio.sleep(1.5)
            old = updated.count(uri[a]), updated.count(uri[b])
            await until("the other's change", lambda: updated.count(uri[b]) > old[1], lambda: write(a, b))
            same(updated.count(uri[a]), old[0])
            async with refusal(not_found):
                await client.subscribe_resource("file:///etc/passwd")
        must(f"# New {name}" in (await client.read_resource(uri[created])).contents[0].text)
    if not is_modern:
        async with check(f"{label}: ping"):
            await client.send_ping()


async def main():
    versions = [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS]
    number = 0
    for kind in ("stdio", "http"):
        for version in versions:
            number += 1
            await session(f"python {kind} {version}", f"{os.environ['PREFIX']}{number}", kind, version)
    for what, token in (("a wrong", "wrong"), ("no", "")):
        async with check(f"python http: with {what} token nobody comes in"):
            STATUSES.clear()
            try:
                async with connect("http", versions[-2], transport={"token": token}):
                    raise AssertionError("came in")
            except* MCPError:
                same(STATUSES, [401])
    for kind in ("stdio", "http"):
        async with check(f"python {kind}: finds out by itself what is newest"):
            async with Client(transport(kind), mode="auto") as client:
                same(client.protocol_version, versions[-1])
                same(client.server_info.name, "elophanto")
                must("quoted data" in client.instructions)
                able = client.server_capabilities
                must(able.tools and able.prompts and able.resources.subscribe and able.resources.list_changed, able)
    sys.exit(1 if failed else 0)


anyio.run(main)
