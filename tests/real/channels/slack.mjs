// Drives the Slack of this machine, which tests of ours hold for the real one, with Bolt and its client of
// Socket Mode: what they take for granted of Slack holds there too. One line per check.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MODULES}/x.js`);
const { App, LogLevel } = require("@slack/bolt");
const { SocketModeClient } = require("@slack/socket-mode");
const { URL: slackApiUrl, TOKEN: token, APP: appToken } = process.env;
const root = slackApiUrl.replace(/\/api\/$/, "");
const check = (what, holds, seen = "") => console.log(`${holds ? "ok" : "FAILED"}: bolt: ${what}${holds ? "" : `: ${seen}`}`);
const control = async (name, data = {}) =>
    (await (await fetch(`${root}/control/${name}`, { method: "POST", body: JSON.stringify(data) })).json()).result;
const pause = ms => new Promise(done => setTimeout(done, ms));
const until = async (what, holds) => {
    for (let tries = 0; tries < 300; tries++) {
        if (await holds()) return check(what, true);
        await pause(50);
    }
    check(what, false, "not within 15 s");
};
const refused = async (what, word, call) => {
    try {
        await call();
        check(what, false, "it was taken");
    } catch (error) {
        check(what, error.data?.error === word, error);
    }
};

const clientOptions = { slackApiUrl };
const app = new App({ token, appToken, socketMode: true, clientOptions, logLevel: LogLevel.ERROR });
const heard = { texts: [], presses: [], commands: [], reactions: [] };
app.message(async ({ message, say }) => {
    heard.texts.push(message.text);
    await say({ text: `You said: ${message.text}`, unfurl_links: false, unfurl_media: false });
});
app.action(/.*/, async ({ ack, action }) => {
    await ack();
    heard.presses.push(action.value);
});
app.command("/elophanto", async ({ ack, command }) => {
    await ack();
    heard.commands.push(command.text);
});
app.event("reaction_added", async ({ event }) => heard.reactions.push(event.reaction));
await app.start();
const me = await app.client.auth.test();
check("who it is", me.user === "harbour", JSON.stringify(me));
await control("say", { user: "U5", text: "hello" });
await until("a message comes once, and is acknowledged", async () => heard.texts.join() === "hello" && (await control("waiting")) === 0);
await until("an answer is there, without a preview", async () =>
    (await control("sent")).some(sent => sent.text === "You said: hello" && !sent.unfurls));
await pause(2000);
const button = { type: "button", action_id: "b0", value: "y:1", text: { type: "plain_text", text: "Yes" } };
const shown = await app.client.chat.postMessage({ channel: "DU5", text: "May it run?", blocks: [{ type: "actions", elements: [button] }] });
await control("press", { user: "U5", ts: shown.ts, label: "Yes" });
await until("a button is pressed", async () => heard.presses.join() === "y:1");
await control("command", { user: "U5", text: "status" });
await until("a command", async () => heard.commands.join() === "status");
await control("react", { user: "U5", channel: "DU5", ts: shown.ts, name: "+1" });
await until("a reaction", async () => heard.reactions.join() === "+1");
await app.client.chat.update({ channel: "DU5", ts: shown.ts, text: "It ran.", blocks: [] });
check("an edit", (await control("sent")).some(sent => sent.text === "It ran." && sent.edits === 1));
const metadata = { event_type: "a_mark", event_payload: { id: "m1" } };
const marked = await app.client.chat.postMessage({ channel: "DU6", text: "marked", metadata });
const history = async more => (await app.client.conversations.history({ channel: "DU6", ...more })).messages;
check("what carries a mark is found", (await history({ include_all_metadata: true })).some(it => it.metadata?.event_payload.id === "m1" && it.ts === marked.ts));
check("marks are shown to who asks for them", (await history({})).every(it => !it.metadata));
await app.client.chat.postMessage({ channel: "DU6", text: "below", thread_ts: marked.ts, metadata });
const replies = (await app.client.conversations.replies({ channel: "DU6", ts: marked.ts, include_all_metadata: true })).messages;
check("a thread has its own", replies.some(it => it.text === "below") && !(await history({})).some(it => it.text === "below"));
await refused("a message that is none", "message_not_found", () => app.client.chat.update({ channel: "DU5", ts: "1.1", text: "x" }));
await refused("a channel that is none", "channel_not_found", () => app.client.chat.postMessage({ channel: "X", text: "x" }));
await refused("a wrong token", "invalid_auth", () => app.client.auth.test({ token: "xoxb-other" }));
await pause(2000);
await control("limit");
const late = Date.now();
await app.client.chat.postMessage({ channel: "DU5", text: "in the end" });
check("too many, and again when it was said", Date.now() - late >= 900, `${Date.now() - late} ms`);
await app.client.files.uploadV2({ channel_id: "DU5", filename: "b.txt", title: "b.txt", file: Buffer.from("inside") });
check("a file is handed over", (await control("files")).some(([, text]) => text === "inside"));
await control("disconnect");
await control("say", { user: "U5", text: "after" });
await until("after a socket was ended another one hears", async () => heard.texts.includes("after"));
await app.stop();

// What nobody acknowledges comes again.
const client = new SocketModeClient({ appToken, clientOptions, logLevel: LogLevel.ERROR });
const tries = [];
client.on("slack_event", async ({ ack, body, retry_num }) => {
    if (body?.event?.text !== "again") return ack();
    tries.push(retry_num ?? 0);
    if (tries.length > 1) await ack();
});
await client.start();
await control("say", { user: "U5", text: "again" });
await until("what is not acknowledged comes again", async () => tries.length === 2 && tries[1] === 1);
await pause(3500);
check("and what is does not", tries.length === 2, tries.join());
process.exit(0);
