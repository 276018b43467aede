#!/usr/bin/env python3
"""Sends each kind of request to an OpenAI-compatible server and prints what comes back, raw.

    probe.py BASE_URL CHAT_MODEL EMBEDDING_MODEL [NAME...]

The key is taken from $KEY. With names, only those requests are sent. Everything is sent
as written below and printed as received: status, headers, body (of a stream: each piece
as it was read from the socket). It judges nothing; run.sh does, this is for reading.
"""

import http.client
import json
import os
import sys
import urllib.parse

TOOL = {
    "type": "function",
    "function": {
        "name": "file_note",
        "description": "File a note under a title",
        "parameters": {
            "type": "object",
            "properties": {"title": {"type": "string"}, "rank": {"type": "integer"}},
            "required": ["title", "rank"],
            "additionalProperties": False,
        },
    },
}
FORCED = {"type": "function", "function": {"name": "file_note"}}
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "kind": {"type": "string", "enum": ["fact", "decision"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["title", "kind", "tags"],
    "additionalProperties": False,
}
STRICT = {"type": "json_schema", "json_schema": {"name": "note", "strict": True, "schema": SCHEMA}}
LOOSE = {"type": "json_object", "schema": SCHEMA}


def requests(chat, vectors):
    ask = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say something."}]
    called = ask + [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "file_note", "arguments": '{"title":"x","rank":1}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "filed"},
    ]
    talk = lambda **more: {"model": chat, "messages": ask, "max_tokens": 200, **more}
    embed = lambda text, **more: {"model": vectors, "input": text, **more}
    c, e = "/chat/completions", "/embeddings"
    yield "models", "GET", "/models", None
    yield "embed-one", "POST", e, embed("The ferry runs at dawn.")
    yield "embed-two", "POST", e, embed(["The ferry runs at dawn.", "Rotate the keys."])
    yield "embed-float", "POST", e, embed(["Rotate the keys."], encoding_format="float")
    yield "embed-base64", "POST", e, embed(["Rotate the keys."], encoding_format="base64")
    yield "embed-dimensions", "POST", e, embed(["Rotate the keys."], dimensions=8)
    yield "embed-empty-text", "POST", e, embed([""])
    yield "embed-nothing", "POST", e, embed([])
    yield "chat", "POST", c, talk(temperature=0)
    yield "chat-cut", "POST", c, talk(max_tokens=3)
    yield "chat-new-limit", "POST", c, {"model": chat, "messages": ask, "max_completion_tokens": 3}
    yield "stream", "POST", c, talk(stream=True, temperature=0)
    yield "stream-usage", "POST", c, talk(stream=True, stream_options={"include_usage": True})
    yield "tool-forced", "POST", c, talk(tools=[TOOL], tool_choice=FORCED)
    yield "tool-auto", "POST", c, talk(tools=[TOOL], tool_choice="auto")
    yield "tool-required", "POST", c, talk(tools=[TOOL], tool_choice="required")
    yield "tool-stream", "POST", c, talk(tools=[TOOL], tool_choice=FORCED, stream=True)
    yield "tool-result", "POST", c, {"model": chat, "messages": called, "tools": [TOOL], "max_tokens": 60}
    yield "json-object", "POST", c, talk(response_format={"type": "json_object"})
    yield "json-object-schema", "POST", c, talk(response_format=LOOSE)
    yield "json-schema", "POST", c, talk(response_format=STRICT)
    yield "json-schema-stream", "POST", c, talk(response_format=STRICT, stream=True)
    yield "unknown-model", "POST", c, {**talk(max_tokens=5), "model": "no-such-model"}
    yield "unknown-model-stream", "POST", c, {**talk(max_tokens=5, stream=True), "model": "no-such-model"}
    yield "unknown-model-embed", "POST", e, {**embed(["a"]), "model": "no-such-model"}
    yield "too-long", "POST", c, {"model": chat, "messages": [{"role": "user", "content": "word " * 9000}]}
    yield "too-long-stream", "POST", c, {"model": chat, "stream": True, "messages": [{"role": "user", "content": "word " * 9000}]}
    yield "too-long-embed", "POST", e, embed(["word " * 9000])
    yield "bad-body", "POST", c, {"model": chat, "messages": "text"}
    yield "no-key", "POST", c, talk(max_tokens=5)
    yield "no-key-stream", "POST", c, talk(max_tokens=5, stream=True)
    yield "no-key-embed", "POST", e, embed(["a"])
    yield "wrong-key", "POST", c, talk(max_tokens=5)


def send(base, name, method, path, body):
    url = urllib.parse.urlsplit(base)
    peer = http.client.HTTPConnection(url.hostname, url.port, timeout=180)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["KEY"]}
    if name.startswith("no-key"):
        del headers["Authorization"]
    if name.startswith("wrong-key"):
        headers["Authorization"] = "Bearer sk-not-this-one"
    text = None if body is None else json.dumps(body)
    print(f"=== {name}\n> {method} {url.path + path}")
    if text:
        print("> " + (text if len(text) < 3000 else text[:200] + f"... ({len(text)} bytes)"))
    try:
        peer.request(method, url.path + path, text, headers)
        answer = peer.getresponse()
    except OSError as e:
        print(f"< {e!r}")
        return
    print(f"< HTTP/1.1 {answer.status} {answer.reason}")
    for header in answer.getheaders():
        print("< " + ": ".join(header))
    try:
        while piece := answer.read1(65536):
            shown = piece.decode("utf-8", "backslashreplace")
            print(f"< {len(piece)} bytes: " + repr(shown if len(shown) < 2600 else shown[:1300] + " ... " + shown[-500:]))
    except (OSError, http.client.HTTPException) as e:
        print(f"< {e!r}")
    peer.close()


def main(base, chat, vectors, *names):
    for name, *rest in requests(chat, vectors):
        if not names or name in names:
            send(base, name, *rest)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
