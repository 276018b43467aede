"""Talks with a gateway through the library `websockets`: who is let in, a whole task, an approval,
what is refused. One line per check."""

import asyncio
import json
import os
import uuid

import websockets

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]
SOCKET = os.environ["SOCKET"]
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def check(what, holds, seen=""):
    print(f"{'ok' if holds else 'FAILED'}: py: {what}" + ("" if holds else f": {seen}"), flush=True)


def message(kind, data):
    return json.dumps({"type": kind, "id": str(uuid.uuid4()), "data": data})


async def until(socket, is_it):
    while True:
        told = json.loads(await asyncio.wait_for(socket.recv(), 60))
        if is_it(told):
            return told


async def greeted(socket):
    await socket.send(message("status", {"version": 1}))
    return await until(socket, lambda told: told["type"] == "status")


async def refused(what, status, **more):
    try:
        async with websockets.connect(URL, **more):
            check(what, False, "it was let in")
    except websockets.exceptions.InvalidStatus as cause:
        check(what, cause.response.status_code == status, cause)


async def closed(what, code, send):
    async with websockets.connect(URL, additional_headers=BEARER, max_size=None) as socket:
        try:
            await send(socket)
            await until(socket, lambda told: False)
        except websockets.exceptions.ConnectionClosed as cause:
            seen = cause.rcvd.code if cause.rcvd else None
            check(what, seen == code, seen)


async def main():
    await refused("no token", 401)
    await refused("a wrong token", 401, additional_headers={"Authorization": "Bearer x"})
    await refused("a page of the web", 403, additional_headers=BEARER, origin="https://evil.test")
    await refused("a page that hides", 403, additional_headers=BEARER, origin="null")

    async def binary(socket):
        await socket.send(b"{}")

    async def long(socket):
        await greeted(socket)
        await socket.send("x" * (1024 * 1024 + 1))

    async def old(socket):
        await socket.send(message("status", {"version": 0}))

    await closed("bytes", 1003, binary)
    await closed("a long message", 1009, long)
    await closed("another version", 1002, old)

    async with websockets.connect(URL, additional_headers=BEARER) as socket:
        status = await greeted(socket)
        check("the gateway says who it is", status["data"]["version"] == 1, status)
        await socket.send(message("chat", {"content": "Make a file"}))
        asked = await until(socket, lambda told: told["type"] == "approval_request")
        request = asked["data"]
        check("a call is shown before it is made", "touch made.txt" in request["shown"], request)
        async with websockets.unix_connect(SOCKET, "ws://localhost/gateway") as own:
            await greeted(own)
            again = await until(own, lambda told: told["type"] == "approval_request")
            check("whoever comes in is asked too", again["data"]["digest"] == request["digest"], again)
            answer = {key: request[key] for key in ("request_id", "digest")}
            await own.send(message("approval_response", {**answer, "answer": "once"}))
            settled = await until(socket, lambda told: told["data"].get("event") == "approval_settled")
            check("that it is answered is told", settled["data"]["answer"] == "once", settled)
        done = await until(socket, lambda told: told["type"] == "response" and told["data"]["done"])
        check("the whole answer comes", done["data"]["content"] == "It is made.", done)
        end = await until(socket, lambda told: told["data"].get("event") == "task_complete")
        check("and the end of the task", end["data"]["files"] == ["made.txt"], end)
        pong = await socket.ping()
        await asyncio.wait_for(pong, 10)
        check("pings are answered", True)


asyncio.run(main())
