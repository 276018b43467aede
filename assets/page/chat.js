// Talking with the agent over the gateway's socket. Text is shown as text. A message has its own id: after
// a broken connection it is sent again, and done once.

const chat = document.getElementById("chat");
const said = document.getElementById("said");
const asks = document.getElementById("asks");
const state = document.getElementById("state");
const running = document.getElementById("running");
const form = document.getElementById("say");
const message = document.getElementById("message");
const KEPT = 200;
const key = `chat ${chat.dataset.socket} ${chat.dataset.repository}`;

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children.filter((child) => child !== null));
  return element;
};

/** What waits for its end: messages by id; and what was said, for this tab alone. */
const kept = (() => {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
})();
kept.waiting ??= {};
kept.lines ??= [];
let late;
const save = () => {
  clearTimeout(late);
  late = undefined;
  kept.lines = kept.lines.slice(-KEPT);
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Full, or not allowed: then nothing is kept.
  }
};
/** Answers are kept a moment later, many at once; what somebody says, at once. */
const keep = () => {
  late ??= setTimeout(save, 200);
};
addEventListener("pagehide", save);

/** Text as it is: what cannot be seen, or looks like something else, by its number. */
const exact = (text) =>
  text.replace(/(?![ \n\t])[\p{Cc}\p{Cf}\p{DI}\s]/gu, (char) => `<U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);

/** Whether the end is looked at, so that what is added scrolls into view: until somebody scrolls up. */
let follows = true;
let scrolled = 0;
let frame;
said.addEventListener("scroll", () => {
  const at = said.scrollTop;
  if (at < scrolled) follows = false;
  if (said.scrollHeight - at - said.clientHeight < 80) follows = true;
  scrolled = at;
}, { passive: true });
const follow = () => {
  if (!follows) return;
  frame ??= requestAnimationFrame(() => {
    frame = undefined;
    said.scrollTop = said.scrollHeight;
  });
};
const show = (line) => {
  const item = make("li", { class: line.who });
  item.append(make("p", { class: "who" }, { you: "You", agent: "Agent", event: "", error: "Not done" }[line.who] ?? ""));
  item.append(make("div", { class: "text" }, line.text));
  if (line.sources?.length) {
    const list = line.sources.map((source) => make("li", {}, make("a", {
      href: chat.dataset.notes + source.path.split("/").map(encodeURIComponent).join("/") + (source.line ? `?mark=${source.line}#mark` : ""),
    }, source.line ? `${source.path}:${source.line}` : source.path)));
    item.append(make("ul", { class: "plain" }, ...list));
  }
  if (line.run) item.append(make("a", { href: chat.dataset.runs + line.run }, "What was done"));
  said.append(item);
  follow();
  return item;
};
const tell = (line) => {
  kept.lines.push(line);
  keep();
  return show(line);
};
kept.lines.forEach(show);

let socket;
let pause = 500;
/** Whether the gateway has this connection in the repository of this page; and whether it was asked to. */
let here = false;
let going = false;
/** Answers that are on their way, by the message that they answer. */
const open = new Map();
const dropOpen = () => {
  for (const item of open.values()) item.remove();
  open.clear();
};

const send = (type, data, id = crypto.randomUUID()) => {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, id, data }));
};
/** A new connection is where somebody was last, which may be another repository. */
const goHere = (status) => {
  const { repository } = chat.dataset;
  const arrives = status.repository === repository && !here;
  here = status.repository === repository;
  state.textContent = here ? "Connected" : "Going to this repository";
  if (here) going = false;
  else if (!status.repositories.includes(repository)) state.textContent = "The gateway does not serve this repository any more";
  else if (!going) {
    going = true;
    send("command", { name: "repo", args: repository });
  }
  // What was said while nobody listened; what was taken before is not done again.
  if (arrives) for (const [id, waiting] of Object.entries(kept.waiting)) send(waiting.type, waiting.data, id);
};

const ask = (request) => {
  if (document.getElementById(`ask-${request.request_id}`)) return;
  const answer = (word, text = null) => () => {
    const typed = text === null ? null : text();
    send("approval_response", { request_id: request.request_id, digest: request.digest, answer: word, text: typed });
    for (const button of box.querySelectorAll("button")) button.disabled = true;
  };
  const button = (label, act) => {
    const made = make("button", { type: "button", class: "plain" }, label);
    made.addEventListener("click", act);
    return made;
  };
  const isCall = request.kind === "call";
  const title = exact(isCall ? `May it call ${request.tool}?` : (request.question ?? "The agent asks"));
  const box = make("section", { id: `ask-${request.request_id}`, class: "ask", "aria-label": title }, make("h2", {}, title));
  if (request.tainted) box.append(make("p", { class: "warn" }, "It has read text from outside."));
  if (request.is_interrupted) box.append(make("p", { class: "warn" }, "The gateway was started anew meanwhile."));
  if (isCall) {
    box.append(make("pre", { class: "plain", tabindex: "0" }, exact(request.shown)));
    for (const reason of request.reasons ?? []) box.append(make("p", { class: "quiet" }, exact(reason)));
    box.append(make("p", { class: "row" }, button("Once", answer("once")),
      request.can_be_kept ? button("For this conversation", answer("session")) : null,
      request.can_be_edits ? button("All edits", answer("edits")) : null, button("No", answer("no"))));
  } else {
    const field = make("input", { "aria-label": title });
    const choices = (request.options ?? []).map((option) => button(exact(option), answer("once", () => option)));
    box.append(make("p", { class: "row" }, ...choices, field, button("Answer", answer("once", () => field.value)), button("No answer", answer("no"))));
  }
  asks.append(box);
  box.scrollIntoView({ block: "nearest" });
};

const happened = (event) => {
  const words = {
    planned: () => `Plan: ${event.steps.map((step, at) => `${at + 1}. ${step}`).join("  ")}`,
    calling: () => `Calls ${event.tool}: ${exact(event.shown)}`,
    called: () => `${event.tool} ${event.failed ? "failed" : "is done"} (${event.seconds.toFixed(1)} s)`,
    tainted: () => `Has read text from outside: ${event.origin}`,
    notification: () => event.text,
    error: () => event.text ?? event.detail,
    progress: () => event.text,
  }[event.event];
  // What was said before is said again.
  if (event.event === "restart") dropOpen();
  if (event.event === "approval_settled") document.getElementById(`ask-${event.request_id}`)?.remove();
  if (event.event === "task_complete") {
    asks.replaceChildren();
    const spent = `${event.steps} step${event.steps === 1 ? "" : "s"}, ${event.input_tokens + event.output_tokens} tokens, $${event.usd.toFixed(4)}`;
    const files = event.files.length ? `, ${event.files.join(", ")}` : "";
    tell({ who: "event", text: `${event.outcome}: ${spent}${files}`, run: event.run });
    return;
  }
  const text = words?.();
  if (text) tell({ who: "event", text });
};

const hear = ({ type, data }) => {
  if (type === "status") {
    running.textContent = data.running ? `At work: ${data.running}` : "";
    goHere(data);
  } else if (type === "response") {
    const id = data.reply_to;
    const item = open.get(id);
    if (data.done) {
      item?.remove();
      open.delete(id);
      delete kept.waiting[id];
      if (data.content) tell({ who: "agent", text: data.content, sources: data.sources });
      keep();
    } else if (item) {
      item.querySelector(".text").append(data.content);
      follow();
    } else {
      open.set(id, show({ who: "agent", text: data.content }));
    }
  } else if (type === "approval_request") {
    ask(data);
  } else if (type === "event") {
    happened(data);
  } else if (type === "error") {
    open.get(data.reply_to)?.remove();
    open.delete(data.reply_to);
    delete kept.waiting[data.reply_to];
    going = false;
    tell({ who: "error", text: data.hint ? `${data.detail}\n${data.hint}` : data.detail });
  }
};

const connect = () => {
  const url = new URL(chat.dataset.socket, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  socket = new WebSocket(url);
  socket.addEventListener("open", () => {
    pause = 500;
    here = going = false;
    asks.replaceChildren();
    dropOpen();
    send("status", { version: 1 });
  });
  socket.addEventListener("message", (event) => hear(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => {
    state.textContent = event.code === 1008 ? "This browser may not come in any more: run elophanto page" : "Not connected, trying again";
    running.textContent = "";
    here = false;
    if (event.code !== 1008) setTimeout(connect, pause);
    pause = Math.min(pause * 2, 15000);
  });
};

const say = (text) => {
  const id = crypto.randomUUID();
  kept.waiting[id] = { type: "chat", data: { content: text } };
  follows = true;
  tell({ who: "you", text });
  save();
  if (here) send("chat", { content: text }, id);
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = message.value.trim();
  if (!text) return;
  message.value = "";
  say(text);
});
message.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
for (const button of form.querySelectorAll("[data-command]")) {
  button.addEventListener("click", () => {
    tell({ who: "you", text: `/${button.dataset.command}` });
    if (!here) return tell({ who: "error", text: "Not connected: nothing was done" });
    send("command", { name: button.dataset.command });
  });
}
chat.hidden = false;
connect();
