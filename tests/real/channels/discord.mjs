// Drives the Discord of this machine, which tests of ours hold for the real one, with discord.js: what it
// takes for granted of Discord holds there too. One line per check.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MODULES}/x.js`);
const { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, DiscordAPIError, Events, GatewayIntentBits, MessageFlags, Partials, REST, Routes } =
    require("discord.js");
const { URL: root, TOKEN } = process.env;
const host = root.replace(/\/api\/v10$/, "");
const check = (what, holds, seen = "") => console.log(`${holds ? "ok" : "FAILED"}: discord.js: ${what}${holds ? "" : `: ${seen}`}`);
const control = async (name, data = {}) =>
    (await (await fetch(`${host}/control/${name}`, { method: "POST", body: JSON.stringify(data) })).json()).result;
const pause = ms => new Promise(done => setTimeout(done, ms));
const until = async (what, holds) => {
    for (let tries = 0; tries < 400; tries++) {
        if (await holds()) return check(what, true);
        await pause(50);
    }
    check(what, false, "not within 20 s");
};
const refused = async (what, status, code, words, call) => {
    try {
        await call();
        check(what, false, "it was taken");
    } catch (error) {
        const holds = error instanceof DiscordAPIError && error.status === status && error.code === code && error.message.includes(words);
        check(what, holds, error);
    }
};
const rest = { api: `${host}/api`, version: "10" };
const intents = [GatewayIntentBits.DirectMessages, GatewayIntentBits.DirectMessageReactions];
const build = more => new Client({ intents, partials: [Partials.Channel, Partials.Message, Partials.Reaction, Partials.User], rest, ...more });

await control("heartbeat", { ms: 600 });
const bot = build();
const heard = { texts: [], presses: [], commands: [], reactions: [], files: [], resumed: 0 };
bot.on(Events.MessageCreate, async message => {
    if (message.author.bot) return;
    heard.texts.push(message.content);
    for (const file of message.attachments.values()) heard.files.push(await (await fetch(file.url)).text());
    if (message.content.startsWith("hello")) {
        await message.reply({ content: `You said: ${message.content}`, flags: MessageFlags.SuppressEmbeds, allowedMentions: { parse: [], repliedUser: false } });
    }
});
bot.on(Events.InteractionCreate, async interaction => {
    if (interaction.isButton() && interaction.customId === "late") {
        await pause(3200);
        await refused("what is pressed is acknowledged within three seconds", 404, 10062, "Unknown interaction", () => interaction.deferUpdate());
        heard.late = true;
    } else if (interaction.isButton()) {
        heard.presses.push(interaction.customId);
        await interaction.deferUpdate();
        await interaction.followUp({ content: "Noted.", flags: MessageFlags.Ephemeral });
    } else if (interaction.isChatInputCommand()) {
        heard.commands.push(`${interaction.commandName} ${interaction.options.getString("words")}`);
        await interaction.reply({ content: "Noted.", flags: MessageFlags.Ephemeral });
    }
});
bot.on(Events.MessageReactionAdd, (reaction, user) => heard.reactions.push(`${reaction.emoji.name} ${user.id}`));
bot.on(Events.ShardResume, () => heard.resumed++);
bot.on(Events.Error, error => check("no error", false, error));
const ready = new Promise(done => bot.once(Events.ClientReady, done));
await bot.login(TOKEN);
await ready;
check("who it is", bot.user.username === "harbour" && bot.application.id === bot.user.id);

await control("say", { user: 5, text: "hello" });
await until("a message comes once", () => heard.texts.join() === "hello");
await until("an answer is there, calls nobody, without embeds", async () =>
    (await control("sent")).some(it => it.text === "You said: hello" && !it.has_embeds && !it.calls && it.answers));
await control("file", { user: 5, name: "a.txt", text: "what is in it" });
await until("a file is fetched", () => heard.files[0] === "what is in it");

const api = new REST(rest).setToken(TOKEN);
const channel = await (await bot.users.createDM("5")).fetch();
const button = (id, label = "Yes") => new ButtonBuilder().setCustomId(id).setLabel(label).setStyle(ButtonStyle.Secondary);
const row = (...buttons) => new ActionRowBuilder().addComponents(...buttons);
const shown = await channel.send({ content: "May it run?", components: [row(button("y:1"))] });
const token = await control("press", { user: 5, message: shown.id, label: "Yes" });
await until("a button is pressed, and acknowledged", async () =>
    heard.presses.join() === "y:1" && JSON.stringify(await control("answered", { token })) === '[true,["Noted."]]');
await control("react", { user: 5, message: shown.id, emoji: "✅" });
await until("a reaction", () => heard.reactions.join() === "✅ 5");
await shown.edit({ components: [row(button("late"))] });
await control("press", { user: 5, message: shown.id, label: "Yes" });
await until("somebody was late", () => heard.late);
await shown.edit({ content: "It ran.", components: [] });
check("an edit takes buttons away", (await control("sent")).some(it => it.text === "It ran." && it.edits === 2 && it.buttons.length === 0));
await bot.application.commands.set([{ name: "search", description: "x", options: [{ type: 3, name: "words", description: "x" }], contexts: [1] }]);
const command = await control("command", { user: 5, name: "search", words: "sea otters" });
await until("a command, with words", async () =>
    heard.commands.join() === "search sea otters" && (await control("answered", { token: command }))[0]);
const late = await control("press", { user: 5, message: shown.id, label: "Yes" });
check("no button where there is none any more", late === null, late);

const post = (body, id = channel.id) => api.post(Routes.channelMessages(id), { body });
await pause(6000);
await refused("2,001 characters", 400, 50035, "2000 or fewer", () => post({ content: "x".repeat(2001) }));
await refused("nothing", 400, 50006, "empty message", () => post({ content: " " }));
await refused("a name of a button that is too long", 400, 50035, "between 1 and 100", () =>
    post({ content: "x", components: [{ type: 1, components: [{ type: 2, style: 2, label: "x", custom_id: "x".repeat(101) }] }] }));
await refused("six rows", 400, 50035, "between 1 and 5", () =>
    post({ content: "x", components: Array.from({ length: 6 }, (_, n) => row(button(`b${n}`)).toJSON()) }));
await refused("a message that is none", 404, 10008, "Unknown Message", () =>
    api.patch(Routes.channelMessage(channel.id, "1"), { body: { content: "x" } }));
await refused("a conversation that is none", 404, 10003, "Unknown Channel", () => post({ content: "x" }, "7"));
await refused("a bad name of a command", 400, 50035, "invalid", () =>
    api.put(Routes.applicationCommands(bot.user.id), { body: [{ name: "No No", description: "x" }] }));
await refused("what is pressed is acknowledged once", 404, 10062, "Unknown interaction", () =>
    api.post(Routes.interactionCallback("1", "none"), { body: { type: 6 }, auth: false }));
await pause(6000);
const nonce = { content: "once", nonce: "n1", enforce_nonce: true };
const twice = [await post(nonce), await post(nonce)];
check("the same name is the same message", twice[0].id === twice[1].id && (await control("sent")).filter(it => it.text === "once").length === 1);
const file = await channel.send({ content: "", files: [{ attachment: Buffer.from("inside"), name: "b.txt" }] });
check("a file is handed over", (await control("sent")).some(it => it.id === file.id && it.file?.[1] === "inside"));
await pause(3000);
for (const global of [false, true]) {
    await control("limit", { global });
    const begun = Date.now();
    await post({ content: `in the end ${global}` });
    check(`too many${global ? ", of all" : ""}, and again when it was said`, Date.now() - begun >= 900, `${Date.now() - begun} ms`);
}
const page = await api.get(Routes.channelMessages(channel.id), { query: new URLSearchParams({ after: "0", limit: "100" }) });
check("messages of a conversation, the newest first", page.length > 5 && BigInt(page[0].id) > BigInt(page[1].id));

for (const [what, name] of [["breaks", "cut"], ["is asked to call anew", "reconnect"]]) {
    const before = heard.resumed;
    await control(name);
    await control("say", { user: 5, text: `after ${name}` });
    await until(`a connection that ${what} is taken up, and nothing is lost`, () => heard.resumed > before && heard.texts.includes(`after ${name}`));
}
const before = heard.resumed;
await control("deaf", { is: true });
await pause(2500);
await control("say", { user: 5, text: "after silence" });
await control("deaf", { is: false });
await until("whoever hears nothing any more takes it up elsewhere", () => heard.resumed > before && heard.texts.includes("after silence"));
check("nothing comes twice", new Set(heard.texts.filter(Boolean)).size === heard.texts.filter(Boolean).length, heard.texts.join());
const [identified] = await control("sessions");
await control("forget");
await control("cut");
await until("a session that is gone is begun anew", async () => (await control("sessions"))[0] > identified);
await bot.destroy();

const ended = async (what, token, more, words) => {
    const other = build(more);
    try {
        await other.login(token);
        await pause(1000);
        check(what, false, "it was let in");
    } catch (error) {
        check(what, words.test(`${error.code} ${error.message}`), error);
    }
    await other.destroy();
};
await ended("a wrong token", "MTIzNDU2Nzg5.GhIjKl.other", {}, /TokenInvalid|401|invalid token/i);
await ended("what it may not hear", TOKEN, { intents: [...intents, GatewayIntentBits.MessageContent] }, /disallowed intents/i);
process.exit(0);
