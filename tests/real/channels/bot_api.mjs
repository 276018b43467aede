// Drives the Telegram of this machine, which tests of ours hold for the real one, with grammY: what it
// takes for granted of the Bot API holds there too. One line per check.
import { createRequire } from "node:module";

const { Bot, GrammyError, HttpError, InputFile, InlineKeyboard } = createRequire(`${process.env.MODULES}/x.js`)("grammy");
const { URL: apiRoot, TOKEN } = process.env;
const check = (what, holds, seen = "") => console.log(`${holds ? "ok" : "FAILED"}: grammy: ${what}${holds ? "" : `: ${seen}`}`);
const control = async (name, data = {}) =>
    (await (await fetch(`${apiRoot}/control/${name}`, { method: "POST", body: JSON.stringify(data) })).json()).result;
const pause = ms => new Promise(done => setTimeout(done, ms));
const refused = async (what, code, words, call) => {
    try {
        await call();
        check(what, false, "it was taken");
    } catch (error) {
        const holds = error instanceof GrammyError && error.error_code === code && error.description.includes(words);
        check(what, holds, error);
    }
};
const until = async (what, holds) => {
    for (let tries = 0; tries < 200; tries++) {
        if (await holds()) return check(what, true);
        await pause(50);
    }
    check(what, false, "not within 10 s");
};

const bot = new Bot(TOKEN, { client: { apiRoot } });
await bot.init();
check("who it is", bot.botInfo.username === "harbour_bot");
await refused("a wrong token", 401, "Unauthorized", () => new Bot("7:AAother", { client: { apiRoot } }).init());
await bot.api.setMyCommands([{ command: "help", description: "what there is" }]);
check("commands", true);
await refused("a bad name of a command", 400, "BOT_COMMAND_INVALID", () => bot.api.setMyCommands([{ command: "No No", description: "x" }]));

const heard = { texts: [], presses: [], reactions: 0, files: [] };
bot.on("message:text", async context => {
    heard.texts.push(context.message.text);
    await context.reply(`You said: ${context.message.text}`, { link_preview_options: { is_disabled: true } });
});
bot.on("message:document", async context => {
    const file = await context.getFile();
    heard.files.push(await (await fetch(`${apiRoot}/file/bot${TOKEN}/${file.file_path}`)).text());
});
bot.on("callback_query:data", async context => {
    heard.presses.push(context.callbackQuery.data);
    await context.answerCallbackQuery({ text: "Noted." });
});
bot.on("message_reaction", () => heard.reactions++);
bot.catch(error => check("no handler fails", false, error));
// What happens before anybody asks for reactions is none's.
await control("react", { from: 5, chat: 5, message: 1, emoji: "👍" });
const began = bot.start({ allowed_updates: ["message", "callback_query", "message_reaction"], timeout: 5 });
await pause(300);
await control("say", { from: 5, text: "hello" });
await until("a message comes once, and is acknowledged", async () => heard.texts.join() === "hello" && (await control("waiting")) === 0);
await until("an answer is there, without a preview", async () =>
    (await control("sent")).some(sent => sent.text === "You said: hello" && !sent.has_preview));
await control("file", { id: "f1", text: "what is in it" });
await control("message", { chat: { id: 5, type: "private", first_name: "Ada" }, from: { id: 5, is_bot: false, first_name: "Ada" },
    document: { file_id: "f1", file_unique_id: "f1", file_name: "a.txt", file_size: 13 } });
await until("a file is fetched", async () => heard.files[0] === "what is in it");

const shown = await bot.api.sendMessage(5, "May it <b>run</b>?", { parse_mode: "HTML", reply_markup: new InlineKeyboard().text("Yes", "y:1") });
await control("press", { from: 5, chat: 5, message: shown.message_id, label: "Yes" });
await until("a button is pressed", async () => heard.presses.join() === "y:1");
await control("react", { from: 5, chat: 5, message: shown.message_id, emoji: "👍" });
await until("a reaction comes to who asked for it, and only that", async () => heard.reactions === 1);
await bot.api.editMessageText(5, shown.message_id, "It ran.");
await refused("the same text again", 400, "message is not modified", () => bot.api.editMessageText(5, shown.message_id, "It ran."));
await refused("a message that is none", 400, "message to edit not found", () => bot.api.editMessageText(5, 99999, "x"));
await pause(3000);
await refused("markup that is none", 400, "can't parse entities", () => bot.api.sendMessage(5, "<b>x", { parse_mode: "HTML" }));
await refused("4,097 characters", 400, "message is too long", () => bot.api.sendMessage(5, "x".repeat(4097)));
await refused("nothing", 400, "message text is empty", () => bot.api.sendMessage(5, " "));
await refused("data of a button that is too long", 400, "BUTTON_DATA_INVALID", () =>
    bot.api.sendMessage(5, "x", { reply_markup: new InlineKeyboard().text("x", "x".repeat(65)) }));
await refused("a topic that is none", 400, "message thread not found", () => bot.api.sendMessage(5, "x", { message_thread_id: 3 }));
const document = await bot.api.sendDocument(5, new InputFile(new TextEncoder().encode("inside"), "b.txt"));
check("a file is handed over", (await control("sent")).some(sent => sent.message === document.message_id && sent.file?.[1] === "inside"), JSON.stringify(document));
await control("limit", { sends: 1 });
try {
    await bot.api.sendMessage(5, "x");
    check("too many", false, "it was taken");
} catch (error) {
    check("too many, and when again", error.error_code === 429 && error.parameters.retry_after === 1, error);
}
// A second one that asks ends the first.
const second = new Bot(TOKEN, { client: { apiRoot } });
const ended = began.then(() => false, error => error instanceof GrammyError && error.error_code === 409);
await pause(100);
second.api.getUpdates({ timeout: 2 }).catch(() => {});
check("of two that ask the first is told", await ended);
process.exit(0);
