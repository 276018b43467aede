// Pages of a real browser from everywhere: only our own gets a socket, and only by its ticket. One line per
// check.

import { createRequire } from "node:module";
import { createServer, request } from "node:http";
import { writeFileSync } from "node:fs";

const require = createRequire(`${process.env.MODULES}/`);
const { chromium } = require("playwright-core");
const port = new URL(process.env.URL).port;

const check = (what, holds, seen) =>
  console.log(`${holds ? "ok" : "FAILED"}: browser: ${what}${holds ? "" : `: ${JSON.stringify(seen)}`}`);

// A ticket, over the socket of the user, and the path below which pages lie.
const issued = () =>
  new Promise((done, failed) => {
    const asked = request(
      { socketPath: process.env.SOCKET, method: "POST", path: "/ticket", headers: { Host: "localhost" } },
      (response) => {
        let text = "";
        response.on("data", (part) => (text += part));
        response.on("end", () => done(JSON.parse(text)));
      },
    );
    asked.on("error", failed);
    asked.end();
  });

const ticket = async () => (await issued()).ticket;
const place = (await issued()).page;

// In a page: the status of an exchange, or `blocked`.
const exchange = (page, base, ticket) =>
  page.evaluate(
    async ([base, place, ticket]) => {
      try {
        const headers = { "Content-Type": "application/json", "X-Elophanto": "page" };
        const body = JSON.stringify({ ticket });
        const options = { method: "POST", headers, body, credentials: "include" };
        return (await fetch(`${base}${place}session`, options)).status;
      } catch {
        return "blocked";
      }
    },
    [base, place, ticket],
  );

// In a page: what a socket hears first, or that it was refused.
const enter = (page, base) =>
  page.evaluate(
    (url) =>
      new Promise((done) => {
        const socket = new WebSocket(url);
        socket.onopen = () => {
          const id = crypto.randomUUID?.() ?? "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";
          socket.send(JSON.stringify({ type: "status", id, data: { version: 1 } }));
        };
        socket.onmessage = (event) => done(JSON.parse(event.data).channel);
        socket.onclose = () => done("refused");
      }),
    `${base.replace("http", "ws")}${place}socket`,
  );

const told = [];
const stranger = createServer((request, response) => {
  if (request.headers.cookie) told.push(request.headers.cookie);
  response.setHeader("Content-Type", "text/html");
  response.end("<!doctype html><title>stranger</title>");
});
await new Promise((done) => stranger.listen(0, "127.0.0.1", done));
const file = `${process.env.FOLDER}/page.html`;
writeFileSync(file, "<!doctype html><title>file</title>");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--host-resolver-rules=MAP rebound.test 127.0.0.1"],
});
const context = await browser.newContext();
const base = `http://127.0.0.1:${port}`;

const own = await context.newPage();
await own.goto(`${base}${place}`);
check("a page of ours without a ticket", (await enter(own, base)) === "refused");
const first = await ticket();
check("a ticket becomes a cookie", (await exchange(own, base, first)) === 204);
check("once", (await exchange(own, base, first)) === 401);
const entered = await enter(own, base);
check("and opens a socket", entered === "web", entered);
check("scripts cannot read it", (await own.evaluate(() => document.cookie)) === "");

// From now on the browser has the cookie of 127.0.0.1, which no other path is sent, whichever port asks.
for (const [what, address] of [
  ["another port of 127.0.0.1", `http://127.0.0.1:${stranger.address().port}/`],
  ["another name of this machine, at another port", `http://localhost:${stranger.address().port}/`],
  ["a rebound name", `http://rebound.test:${stranger.address().port}/`],
  ["a file", `file://${file}`],
]) {
  const page = await context.newPage();
  await page.goto(address);
  const seen = [await enter(page, base), await exchange(page, base, await ticket())];
  check(what, seen[0] === "refused" && [403, "blocked"].includes(seen[1]), seen);
}
const rebound = await context.newPage();
await rebound.goto(`http://rebound.test:${port}/`);
const answered = await enter(rebound, `http://rebound.test:${port}`);
check("our port by a rebound name", answered === "refused", answered);
const named = await context.newPage();
await named.goto(`http://localhost:${port}/`);
check("our page by another name has no cookie", (await enter(named, `http://localhost:${port}`)) === "refused");
check("nor may it use that of the first", (await enter(named, base)) === "refused");
const framed = await context.newPage();
await framed.goto(`http://127.0.0.1:${stranger.address().port}/`);
await framed.setContent('<iframe sandbox="allow-scripts" srcdoc="<title>x</title>"></iframe>');
check("a frame without an origin", (await enter(framed.frames()[1], base)) === "refused");

check("no other port was sent the cookie", told.length === 0, told);

await browser.close();
stranger.close();
