"""Drives the Discord of this machine, which tests of ours hold for the real one, with discord.py: what it
takes for granted of Discord holds there too. One line per check."""

import asyncio
import io
import json
import os
import urllib.request

import discord
import yarl
from discord import app_commands

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]
HOST = URL.removesuffix("/api/v10")
discord.http.Route.BASE = URL
# It does not ask where the gateway is.
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(HOST.replace("http://", "ws://") + "/gateway")


def check(what, holds, seen=""):
    print(f"{'ok' if holds else 'FAILED'}: discord.py: {what}" + ("" if holds else f": {seen}"), flush=True)


def control(name, /, **data):
    request = urllib.request.Request(f"{HOST}/control/{name}", json.dumps(data).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["result"]


async def refused(what, kind, code, call):
    try:
        await call
        check(what, False, "it was taken")
    except kind as cause:
        check(what, cause.code == code, cause)


async def until(what, holds):
    for _ in range(400):
        if holds():
            return check(what, True)
        await asyncio.sleep(0.05)
    check(what, False, "not within 20 s")


class Bot(discord.Client):
    def __init__(self):
        intents = discord.Intents.none()
        intents.dm_messages = intents.dm_reactions = True
        super().__init__(intents=intents)
        self.heard = {"texts": [], "files": [], "presses": [], "commands": [], "reactions": [], "resumed": 0}
        self.late = 0
        self.channel = None
        self.tree = app_commands.CommandTree(self)

    async def on_message(self, message):
        if message.author.bot:
            return
        self.channel = message.channel
        self.heard["texts"].append(message.content)
        for file in message.attachments:
            self.heard["files"].append(await file.read())
        if message.content.startswith("hello"):
            await message.reply(
                f"You said: {message.content}", suppress_embeds=True, allowed_mentions=discord.AllowedMentions.none()
            )

    async def on_interaction(self, interaction):
        if interaction.type is discord.InteractionType.component:
            await asyncio.sleep(self.late)
            try:
                await interaction.response.defer()
            except discord.NotFound as cause:
                return check("what is pressed is acknowledged within three seconds", cause.code == 10062, cause)
            self.heard["presses"].append(interaction.data["custom_id"])
            await interaction.followup.send("Noted.", ephemeral=True)

    async def on_raw_reaction_add(self, payload):
        self.heard["reactions"].append(f"{payload.emoji.name} {payload.user_id}")

    async def on_resumed(self):
        self.heard["resumed"] += 1


async def main():
    control("heartbeat", ms=1000)
    bot = Bot()

    @bot.tree.command(name="search", description="x")
    async def search(interaction, words: str):
        bot.heard["commands"].append(words)
        await interaction.response.send_message("Noted.", ephemeral=True)

    running = asyncio.create_task(bot.start(TOKEN))
    # Until it has logged in there is nothing to wait for.
    await asyncio.wait([running], timeout=1)
    if running.done():
        return running.result()
    await bot.wait_until_ready()
    heard = bot.heard
    check("who it is", bot.user.name == "harbour", bot.user)
    commands = await bot.tree.sync()
    check("commands", [command.name for command in commands] == ["search"], commands)
    control("say", user=6, text="hello")
    await until("a message comes once", lambda: heard["texts"] == ["hello"])
    await until(
        "an answer is there, calls nobody, without embeds",
        lambda: any(s["text"] == "You said: hello" and not s["has_embeds"] and not s["calls"] for s in control("sent")),
    )
    control("file", user=6, name="a.txt", text="what is in it")
    await until("a file is fetched", lambda: heard["files"] == [b"what is in it"])
    channel = bot.channel
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Yes", custom_id="y:1"))
    shown = await channel.send("May it run?", view=view)
    token = control("press", user=6, message=str(shown.id), label="Yes")
    await until("a button is pressed, and acknowledged", lambda: control("answered", token=token) == [True, ["Noted."]])
    token = control("command", user=6, name="search", words="sea otters")
    await until("a command, with words", lambda: heard["commands"] == ["sea otters"] and control("answered", token=token)[0])
    control("react", user=6, message=str(shown.id), emoji="✅")
    await until("a reaction", lambda: heard["reactions"] == ["✅ 6"])
    bot.late = 3.3
    control("press", user=6, message=str(shown.id), label="Yes")
    await asyncio.sleep(4)
    await shown.edit(content="It ran.", view=None)
    check("an edit takes buttons away", any(s["text"] == "It ran." and not s["buttons"] for s in control("sent")))
    await refused("2,001 characters", discord.HTTPException, 50035, channel.send("x" * 2001))
    sent = await channel.send(file=discord.File(io.BytesIO(b"inside"), "b.txt"))
    check("a file is handed over", any(s["id"] == str(sent.id) and s["file"][1] == "inside" for s in control("sent")))
    control("limit")
    begun = asyncio.get_running_loop().time()
    await channel.send("in the end")
    check("too many, and again when it was said", asyncio.get_running_loop().time() - begun >= 0.9)
    for name, data in (("cut", {}), ("reconnect", {}), ("close", {"code": 4000})):
        before = heard["resumed"]
        control(name, **data)
        control("say", user=6, text=f"after {name}")
        await until(
            f"a connection that is lost ({name}) is taken up, and nothing is lost",
            lambda: heard["resumed"] > before and f"after {name}" in heard["texts"],
        )
    texts = [text for text in heard["texts"] if text]
    check("nothing comes twice", len(set(texts)) == len(texts), texts)
    await bot.close()
    await running
    other = Bot()
    try:
        await other.login("MTIzNDU2Nzg5.GhIjKl.other")
        check("a wrong token", False, "it was taken")
    except discord.LoginFailure:
        check("a wrong token", True)
    await other.close()


asyncio.run(main())
