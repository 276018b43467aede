"""Drives the Telegram of this machine, which tests of ours hold for the real one, with
python-telegram-bot: what it takes for granted of the Bot API holds there too. One line per check."""

import asyncio
import json
import os
import urllib.request

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions
from telegram.error import BadRequest, Conflict, InvalidToken, RetryAfter
from telegram.ext import Application, CallbackQueryHandler, MessageHandler, MessageReactionHandler, filters

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]


def check(what, holds, seen=""):
    print(f"{'ok' if holds else 'FAILED'}: py: {what}" + ("" if holds else f": {seen}"), flush=True)


def control(name, **data):
    request = urllib.request.Request(f"{URL}/control/{name}", json.dumps(data).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["result"]


async def refused(what, kind, words, call):
    try:
        await call
        check(what, False, "it was taken")
    except kind as cause:
        check(what, words in str(cause), cause)


async def until(what, holds):
    for _ in range(200):
        if holds():
            return check(what, True)
        await asyncio.sleep(0.05)
    check(what, False, "not within 10 s")


async def main():
    heard = {"texts": [], "files": [], "presses": [], "reactions": 0}
    errors = []
    build = Application.builder().token(TOKEN).base_url(f"{URL}/bot").base_file_url(f"{URL}/file/bot")
    app = build.build()

    async def said(update, context):
        heard["texts"].append(update.message.text)
        await update.message.reply_text(
            f"You said: {update.message.text}", link_preview_options=LinkPreviewOptions(is_disabled=True)
        )

    async def handed(update, context):
        file = await update.message.document.get_file()
        heard["files"].append(bytes(await file.download_as_bytearray()))

    async def pressed(update, context):
        heard["presses"].append(update.callback_query.data)
        await update.callback_query.answer("Noted.")

    async def reacted(update, context):
        heard["reactions"] += 1

    app.add_handler(MessageHandler(filters.TEXT, said))
    app.add_handler(MessageHandler(filters.Document.ALL, handed))
    app.add_handler(CallbackQueryHandler(pressed))
    app.add_handler(MessageReactionHandler(reacted))
    await app.initialize()
    check("who it is", app.bot.username == "harbour_bot", app.bot.username)
    other = Application.builder().token("7:AAother").base_url(f"{URL}/bot").build()
    try:
        await other.initialize()
        check("a wrong token", False, "it was taken")
    except InvalidToken:
        check("a wrong token", True)
    await app.start()
    await app.updater.start_polling(
        timeout=5, allowed_updates=["message", "callback_query", "message_reaction"], error_callback=errors.append
    )
    bot = app.bot
    await asyncio.sleep(0.3)
    control("say", **{"from": 6, "text": "hello"})
    await until("a message comes once, and is acknowledged", lambda: heard["texts"] == ["hello"] and control("waiting") == 0)
    await until(
        "an answer is there, without a preview",
        lambda: any(s["chat"] == 6 and s["text"] == "You said: hello" and not s["has_preview"] for s in control("sent")),
    )
    control("file", id="f2", text="what is in it")
    control(
        "message",
        chat={"id": 6, "type": "private", "first_name": "Ada"},
        **{"from": {"id": 6, "is_bot": False, "first_name": "Ada"}},
        document={"file_id": "f2", "file_unique_id": "f2", "file_name": "a.txt", "file_size": 13},
    )
    await until("a file is fetched", lambda: heard["files"] == [b"what is in it"])
    keys = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y:1")]])
    shown = await bot.send_message(6, "May it <b>run</b>?", parse_mode="HTML", reply_markup=keys)
    control("press", **{"from": 6, "chat": 6, "message": shown.message_id, "label": "Yes"})
    await until("a button is pressed", lambda: heard["presses"] == ["y:1"])
    control("react", **{"from": 6, "chat": 6, "message": shown.message_id, "emoji": "👍"})
    await until("a reaction comes to who asked for it", lambda: heard["reactions"] == 1)
    await bot.edit_message_text("It ran.", 6, shown.message_id)
    await refused("the same text again", BadRequest, "not modified", bot.edit_message_text("It ran.", 6, shown.message_id))
    await asyncio.sleep(3)
    await refused("markup that is none", BadRequest, "parse entities", bot.send_message(6, "<b>x", parse_mode="HTML"))
    await refused("4,097 characters", BadRequest, "too long", bot.send_message(6, "x" * 4097))
    await refused("a topic that is none", BadRequest, "thread not found", bot.send_message(6, "x", message_thread_id=3))
    sent = await bot.send_document(6, b"inside", filename="b.txt")
    check("a file is handed over", any(s["message"] == sent.message_id and s["file"][1] == "inside" for s in control("sent") if s["file"]))
    control("limit", sends=1)
    try:
        await bot.send_message(6, "x")
        check("too many", False, "it was taken")
    except RetryAfter as cause:
        seconds = cause.retry_after
        check("too many, and when again", getattr(seconds, "total_seconds", lambda: seconds)() == 1, cause)
    # A second one that asks ends the first.
    second = Application.builder().token(TOKEN).base_url(f"{URL}/bot").build()
    await second.initialize()
    asking = asyncio.create_task(second.bot.get_updates(timeout=1))
    await until("of two that ask the first is told", lambda: any(isinstance(it, Conflict) for it in errors))
    try:
        await asking
    except Conflict:
        pass
    await app.updater.stop()
    await app.stop()
    await app.shutdown()


asyncio.run(main())
