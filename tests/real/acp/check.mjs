// An editor made with the official TypeScript SDK, which knows the schemas of all messages.
//
// One line per check on standard output: `ok: ...` or `FAILED: ...`.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.MODULES}/package.json`);
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));
const { ELOPHANTO: program, REPO: repo, OTHER: other, OUTSIDE: outside } = process.env;
const kills = Number(process.env.KILLS ?? 12);

// The SDK says there what it refuses.
const refused = [];
console.error = (...words) => refused.push(words.map(String).join(" "));

function check(name, is, seen) {
  console.log(is ? `ok: ${name}` : `FAILED: ${name}: ${JSON.stringify(seen)}`);
}

// A number that comes again with each seed.
let seed = 7;
const random = (most) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % most;

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class Editor {
  constructor() {
    this.updates = [];
    this.asked = [];
    this.answer = "once";
    this.child = spawn(program, ["acp"], { cwd: outside, stdio: ["pipe", "pipe", "pipe"] });
    this.errors = "";
    this.child.stderr.on("data", (bytes) => (this.errors += bytes));
    this.child.stdin.on("error", () => {});
    this.exited = new Promise((done) => this.child.on("exit", (code, signal) => done(code ?? signal)));
    const stream = acp.ndJsonStream(Writable.toWeb(this.child.stdin), Readable.toWeb(this.child.stdout));
    const app = acp
      .client({ name: "check" })
      .onNotification(acp.methods.client.session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        if (this.answer === null) return new Promise(() => {});
        if (this.answer === "cancelled") return { outcome: { outcome: "cancelled" } };
        return { outcome: { outcome: "selected", optionId: this.answer } };
      });
    this.connection = app.connect(stream);
    this.agent = this.connection.agent;
  }

  async hello() {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false } };
    return this.agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
  }

  static async open() {
    const editor = new Editor();
    await editor.hello();
    return editor;
  }

  new(cwd = repo) {
    return this.agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
  }

  load(sessionId, cwd = repo) {
    return this.agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  }

  prompt(sessionId, text) {
    const prompt = typeof text === "string" ? [{ type: "text", text }] : text;
    return this.agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
  }

  all(kind) {
    return this.updates.filter((update) => update.sessionUpdate === kind);
  }

  text(kind = "agent_message_chunk") {
    return this.all(kind).map((update) => update.content.text).join("");
  }

  // Each call with what was said of it last.
  calls() {
    const calls = new Map();
    for (const update of this.updates) {
      const { toolCallId: id } = update;
      if (id) calls.set(id, { ...calls.get(id), ...update });
    }
    return [...calls.values()];
  }

  forget() {
    this.updates.length = this.asked.length = 0;
  }

  async end() {
    this.child.stdin.end();
    return this.exited;
  }
}

const failure = async (promise) => {
  try {
    await promise;
    return null;
  } catch (error) {
    return error;
  }
};

const until = async (is) => {
  for (let times = 0; times < 600; times++) {
    if (is()) return true;
    await sleep(50);
  }
  return false;
};

const read = (file) => (existsSync(`${repo}/${file}`) ? readFileSync(`${repo}/${file}`, "utf8") : null);
const doing = (tool, args) => `do ${tool} ${JSON.stringify(args)}`;

// ---------------------------------------------------------------- beginning

let editor = new Editor();
let hello = await editor.hello();
check("it speaks version 1", hello.protocolVersion === 1 && hello.agentInfo.name === "elophanto", hello);
const able = hello.agentCapabilities;
check("it loads, lists, resumes and closes", able.loadSession && able.sessionCapabilities.list && able.sessionCapabilities.resume && able.sessionCapabilities.close, able);
check("it needs nobody to sign in", hello.authMethods.length === 0, hello.authMethods);

let refusal = await failure(editor.new("relative"));
check("a relative folder is refused", refusal?.code === -32602 && refusal.message.includes("absolute"), refusal?.message);
refusal = await failure(editor.new(outside));
check("a folder of no repository is refused", refusal?.code === -32602 && /git/.test(refusal.message), refusal?.message);

const { sessionId: id, modes } = await editor.new();
check("a session has an id and modes", id.length === 36 && modes.currentModeId === "smart", modes);
check("no mode is above the settings", modes.availableModes.map((it) => it.id).join() === "ask,smart", modes.availableModes);
await until(() => editor.all("available_commands_update").length);
const commands = editor.all("available_commands_update")[0].availableCommands;
check("commands are offered", commands.some((it) => it.name === "undo") && !commands.some((it) => it.name === "quit"), commands);

// ---------------------------------------------------------------- prompts

let answer = await editor.prompt(id, "say hello");
check("a prompt is answered", answer.stopReason === "end_turn" && editor.text().includes("You said: say hello"), editor.text());
check("the window's use is told", editor.all("usage_update").at(-1)?.size > 0, editor.all("usage_update"));
check("the session has a title", editor.all("session_info_update").at(-1)?.title === "say hello", editor.all("session_info_update"));

await editor.agent.request(acp.methods.agent.session.setMode, { sessionId: id, modeId: "ask" });
await until(() => editor.all("current_mode_update").length);
check("a narrower mode is set", editor.all("current_mode_update")[0]?.currentModeId === "ask", editor.updates);
refusal = await failure(editor.agent.request(acp.methods.agent.session.setMode, { sessionId: id, modeId: "full" }));
check("a wider mode is refused", refusal?.message.includes("at most"), refusal?.message);

editor.forget();
answer = await editor.prompt(id, doing("file_write", { path: "one.txt", text: "one\n" }));
let [asked] = editor.asked;
let diff = asked?.toolCall.content.find((it) => it.type === "diff");
check("a write is asked about with its diff", diff?.path === `${repo}/one.txt` && diff.newText === "one\n" && !diff.oldText, asked);
check("once, for the session, all edits, or no", asked?.options.map((it) => it.kind).join() === "allow_once,allow_always,allow_always,reject_once", asked?.options);
check("allowed once it is written", read("one.txt") === "one\n", read("one.txt"));
let call = editor.calls().find((it) => it.kind === "edit");
check("the call is shown to its end", call?.status === "completed" && call.locations[0].path === `${repo}/one.txt`, call);
let plans = editor.all("plan");
check("the plan is told", plans[0]?.entries.map((it) => it.content).join() === "Do it,Say so" && plans.at(-1).entries.every((it) => it.status === "completed"), plans);

editor.forget();
await editor.prompt(id, doing("file_edit", { path: "README.md", edits: [{ old: "swim", new: "dive" }] }));
diff = editor.calls().find((it) => it.kind === "edit")?.content.find((it) => it.type === "diff");
check("an edit shows what was and what is", diff?.oldText.includes("swim") && diff.newText.includes("dive"), diff);

editor.forget();
answer = await editor.prompt(id, "/undo");
check("/undo takes it back", answer.stopReason === "end_turn" && read("README.md").includes("swim"), editor.text());
await editor.prompt(id, "/status");
check("/status answers", editor.text().includes("mode ask"), editor.text());
refusal = await failure(editor.prompt(id, "/mode full"));
check("/mode goes no further than the settings", refusal?.message.includes("at most"), refusal?.message);

for (const word of ["no", "cancelled", "unheard-of"]) {
  editor.forget();
  editor.answer = word;
  answer = await editor.prompt(id, doing("file_write", { path: "no.txt", text: "no\n" }));
  const status = editor.calls().find((it) => it.kind === "edit")?.status;
  check(`${word}: nothing is done`, answer.stopReason === "end_turn" && read("no.txt") === null && status === "failed", editor.calls());
}

editor.forget();
editor.answer = "session";
for (const _ of [1, 2]) await editor.prompt(id, doing("shell_execute", { command: "touch always" }));
check("for the session is asked once", editor.asked.length === 1 && existsSync(`${repo}/always`), editor.asked.length);

editor.forget();
editor.answer = "once";
await editor.prompt(id, doing("file_write", { path: ".vscode/tasks.json", text: "{}\n" }));
check("what is asked each time is not offered for good", editor.asked[0]?.options.map((it) => it.optionId).join() === "once,no", editor.asked[0]?.options);

editor.forget();
const running = editor.prompt(id, doing("shell_execute", { command: "sleep 60" }));
await until(() => editor.calls().some((it) => it.status === "in_progress"));
refusal = await failure(editor.prompt(id, "say something else"));
check("one prompt at a time", refusal?.code === -32600, refusal?.message);
const began = Date.now();
await editor.agent.notify(acp.methods.agent.session.cancel, { sessionId: id });
answer = await running;
check("cancelled, it ends at once and says so", answer.stopReason === "cancelled" && Date.now() - began < 5000, [answer, Date.now() - began]);
check("a call that was cut off has failed", editor.calls().find((it) => it.kind === "execute")?.status === "failed", editor.calls());

editor.forget();
editor.answer = null;
const waiting = editor.prompt(id, doing("file_write", { path: "no.txt", text: "no\n" }));
await until(() => editor.asked.length);
await editor.agent.notify(acp.methods.agent.session.cancel, { sessionId: id });
answer = await waiting;
check("cancelled while it asks, nothing is done", answer.stopReason === "cancelled" && read("no.txt") === null, answer);
editor.answer = "once";

editor.forget();
await editor.prompt(id, [
  { type: "text", text: "say what is in " },
  { type: "resource_link", name: "README.md", uri: pathToFileURL(`${repo}/README.md`).href },
  { type: "resource", resource: { uri: "file:///elsewhere/draft.md", text: "# A draft", mimeType: "text/markdown" } },
]);
check("links and texts go with a prompt", editor.text().includes("They swim") && editor.text().includes("# A draft"), editor.text());

const { sessionId: second } = await editor.new(other);
editor.forget();
await Promise.all([editor.prompt(id, "say one"), editor.prompt(second, "say two")]);
check("two repositories at once", editor.text().includes("say one") && editor.text().includes("say two"), editor.text());
refusal = await failure(editor.prompt("00000000-0000-0000-0000-000000000000", "say nothing"));
check("a session that is none is refused", refusal?.code === -32002 && refusal.message.includes("session/new"), refusal?.message);

const listed = await editor.agent.request(acp.methods.agent.session.list, { cwd: repo });
check("sessions are listed", listed.sessions.length === 1 && listed.sessions[0].sessionId === id && listed.sessions[0].cwd === repo, listed);
await editor.agent.request(acp.methods.agent.session.close, { sessionId: second });
check("a closed session is closed", (await failure(editor.prompt(second, "say nothing")))?.code === -32002, null);
await editor.agent.request(acp.methods.agent.session.resume, { sessionId: second, cwd: other, mcpServers: [] });
editor.forget();
await editor.prompt(second, "say three");
check("and goes on once it is resumed", editor.text().includes("say three"), editor.text());

// ---------------------------------------------------------------- the end, and another day

editor.answer = null;
editor.forget();
const cut = failure(editor.prompt(id, doing("file_write", { path: "no.txt", text: "no\n" })));
await until(() => editor.asked.length);
let code = await editor.end();
await cut;
check("an editor that goes while it is asked has not agreed", code === 0 && read("no.txt") === null, [code, editor.errors]);

editor = await Editor.open();
await editor.load(id);
const heard = editor.all("user_message_chunk").map((it) => it.content.text);
check("the conversation is told again", heard[0] === "say hello" && editor.text().includes("You said: say hello"), heard);
check("with its calls", editor.calls().some((it) => it.kind === "edit" && it.status === "completed"), editor.calls().length);
refusal = await failure(editor.load(id, other));
check("and in its own folder only", refusal?.message.includes("another folder"), refusal?.message);
await editor.load(id);
editor.forget();
answer = await editor.prompt(id, "say that it goes on");
check("and goes on", answer.stopReason === "end_turn", answer);
await editor.end();

// ---------------------------------------------------------------- kills

const answered = ["say that it goes on"];
let lost = 0;
let broken = [];
for (let number = 0; number < kills; number++) {
  editor = await Editor.open();
  try {
    await editor.load(id);
    const told = new Set(editor.all("user_message_chunk").map((it) => it.content.text));
    lost += answered.filter((goal) => !told.has(goal)).length;
    const goal = number % 2 ? `say number ${number}` : doing("file_write", { path: `kill-${number}.txt`, text: "x\n" });
    const said = editor.prompt(id, goal).then(
      () => answered.push(goal),
      () => {},
    );
    await Promise.race([said, sleep(random(1500))]);
  } catch (error) {
    broken.push(`${number}: ${error.message}`);
  }
  editor.child.kill("SIGKILL");
  await editor.exited;
}
editor = await Editor.open();
await editor.load(id).catch((error) => broken.push(error.message));
answer = await editor.prompt(id, "say that it still goes on");
check(`killed ${kills} times, it loads and goes on`, broken.length === 0 && answer.stopReason === "end_turn", broken);
check("and nothing that was answered is lost", lost === 0, lost);
code = await editor.end();
check("it ends as it should", code === 0 && editor.errors === "", [code, editor.errors]);
check("the SDK refused no message", refused.length === 0, refused.slice(0, 5));

// ---------------------------------------------------------------- what is no protocol

const odd = spawn(program, ["acp"], { cwd: repo, stdio: ["pipe", "ignore", "pipe"] });
let said = "";
odd.stderr.on("data", (bytes) => (said += bytes));
odd.stdin.end("hello\n");
code = await new Promise((done) => odd.on("exit", done));
check("what is no protocol is told so", code === 2 && said.includes("Agent Client Protocol"), [code, said]);
process.exit(0);
