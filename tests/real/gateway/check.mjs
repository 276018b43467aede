// Talks with a gateway through the library `ws`: who is let in, messages and answers, what is refused.
// One line per check.

import { createRequire } from "node:module";
import { randomUUID } from "node:crypto";

const require = createRequire(`${process.env.MODULES}/`);
const { WebSocket } = require("ws");
const { URL: url, TOKEN: token } = process.env;
const bearer = { Authorization: `Bearer ${token}` };

const check = (what, holds, seen) =>
  console.log(`${holds ? "ok" : "FAILED"}: node: ${what}${holds ? "" : `: ${JSON.stringify(seen)}`}`);
const message = (type, data) => JSON.stringify({ type, id: randomUUID(), data });

// Opens a socket: its messages as they come, or the status of the refusal.
const open = (headers, options = {}) =>
  new Promise((opened) => {
    const socket = new WebSocket(url, { headers, ...options });
    const told = [];
    const waiting = [];
    socket.on("message", (text) => {
      told.push(JSON.parse(text));
      waiting.forEach((look) => look());
    });
    socket.on("error", () => {});
    socket.on("unexpected-response", (_, response) => opened({ status: response.statusCode }));
    const closed = new Promise((done) => socket.on("close", done));
    const until = (isIt) =>
      new Promise((found, failed) => {
        const late = setTimeout(() => failed(new Error(JSON.stringify(told))), 60_000);
        const look = () => {
          const one = told.find(isIt);
          if (one) {
            clearTimeout(late);
            found(one);
          }
        };
        waiting.push(look);
        look();
      });
    socket.on("open", () => opened({ socket, until, closed, told }));
  });

const hello = (talk) => {
  talk.socket.send(message("status", { version: 1 }));
  return talk.until((it) => it.type === "status");
};

for (const [what, headers, status] of [
  ["no token", {}, 401],
  ["a wrong token", { Authorization: "Bearer x" }, 401],
  ["a page of the web", { ...bearer, Origin: "https://evil.test" }, 403],
  ["a cookie in place of a token", { Cookie: `elophanto=${token}` }, 401],
  ["a rebound name", { ...bearer, Host: "evil.test" }, 403],
]) {
  const seen = await open(headers);
  check(what, seen.status === status, seen.status);
}

for (const [what, send, code] of [
  ["bytes", (talk) => talk.socket.send(Buffer.from("{}")), 1003],
  ["no JSON", (talk) => talk.socket.send("hello"), 1002],
  ["a long first message", (talk) => talk.socket.send(" ".repeat(65_537)), 1009],
]) {
  const talk = await open(bearer);
  send(talk);
  const seen = await talk.closed;
  check(what, seen === code && talk.told[0]?.type === "error", [seen, talk.told]);
}

const talk = await open(bearer, { perMessageDeflate: true });
check("nothing is compressed", talk.socket.extensions === "", talk.socket.extensions);
await hello(talk);
talk.socket.send(message("command", { name: "status" }));
const answer = await talk.until((it) => it.type === "response");
check("a command is answered", answer.data.done && answer.data.content.includes("no run goes on"), answer);
talk.socket.send("no");
const error = await talk.until((it) => it.type === "error");
check("what is no message is said", error.data.hint !== null, error);
talk.socket.send(message("command", { name: "help" }));
await talk.until((it) => it.type === "response" && it.data.content.includes("/undo"));
check("and the connection stays", true);
talk.socket.close();
check("a close is answered", (await talk.closed) === 1005, null);
