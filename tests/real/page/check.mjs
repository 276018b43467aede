// The page in a browser. One line per check.

import { createRequire } from "node:module";
import { createServer } from "node:http";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { extname, join } from "node:path";
import { longChat } from "./long.mjs";

const require = createRequire(`${process.env.MODULES}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(`${process.env.MODULES}/node_modules/axe-core/axe.min.js`, "utf8");
const { REPOSITORY: repository, ELOPHANTO: elophanto, SHOTS: shots } = process.env;

const check = (what, holds, seen) =>
  console.log(`${holds ? "ok" : "FAILED"}: ${what}${holds ? "" : `: ${JSON.stringify(seen)}`}`);
const address = () =>
  execFileSync(elophanto, ["page", "--print"], { cwd: repository, env: { PATH: process.env.PATH, HOME: process.env.HOME } })
    .toString()
    .trim();

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--host-resolver-rules=MAP rebound.test 127.0.0.1"] });
/** What a browser said, asked and wanted to fetch that it should not have. */
const faults = [];
const opened = async (context) => {
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of (401|404|409)/.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => {
    faults.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1[:/]|ws:\/\/127\.0\.0\.1[:/]|data:|blob:|about:)/.test(request.url())) faults.push(`fetched ${request.url()}`);
  });
  return page;
};

// ------------------------------------------------------------------------------------- coming in

const first = await browser.newContext();
const url = address();
const [top, ticket] = url.split("#ticket=");
const stranger = await opened(first);
const refused = await stranger.goto(top);
check("without a ticket the page is closed", refused.status() === 401 && (await stranger.textContent("main")).includes("elophanto page"));
await stranger.goto(url);
await stranger.waitForSelector("form.large");
check("a ticket opens it", true);
check("and is gone from the address", !stranger.url().includes("ticket"), stranger.url());
check("scripts cannot read the cookie", (await stranger.evaluate(() => document.cookie)) === "");
const cookies = await first.cookies();
check("the cookie is good below the path alone", cookies.length === 1 && cookies[0].path === new URL(top).pathname.split("/").slice(0, 2).join("/") + "/" && cookies[0].httpOnly && cookies[0].sameSite === "Strict", cookies);
const second = await browser.newContext();
const late = await opened(second);
await late.goto(`${top}#ticket=${ticket}`);
await late.waitForTimeout(300);
check("a second browser cannot use it", (await late.textContent("main")).includes("used already"), await late.textContent("main"));

const signedIn = async (options = {}) => {
  const context = await browser.newContext(options);
  await context.addCookies(cookies);
  return context;
};

// ------------------------------------------------------------------------------------ every page

const run = await (async () => {
  const context = await signedIn();
  const page = await opened(context);
  await page.goto(`${top}chat`);
  await page.waitForFunction(() => document.querySelector("#state").textContent === "Connected");
  await page.fill("#message", "Make a file");
  await page.press("#message", "Control+Enter");
  await page.waitForSelector(".ask button", { timeout: 60_000 });
  check("an approval is asked for, with what would be done", (await page.textContent(".ask")).includes("touch made.txt"), await page.textContent(".ask"));
  await page.click(".ask button:has-text('Once')");
  await page.waitForSelector("#said li.event a", { timeout: 60_000 });
  const told = await page.textContent("#said");
  check("and approved, done and told", told.includes("It is made.") && existsSync(`${repository}/made.txt`), told);
  // A broken connection mends itself, and nothing is done twice.
  await context.setOffline(true);
  await page.evaluate(() => {
    for (const it of performance.getEntriesByType("resource")) void it;
  });
  await context.setOffline(false);
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#state").textContent === "Connected");
  check("what was said is there after a reload", (await page.textContent("#said")).includes("It is made."));
  const href = await page.getAttribute("#said li.event a", "href");
  await page.click("#said li.event a");
  await page.waitForSelector(".waterfall");
  check("the run is shown as a waterfall", (await page.locator(".waterfall .call").count()) > 0);
  const take = page.locator("button:has-text('Take back')");
  await take.click();
  await take.click();
  await page.waitForSelector("[role=status]:has-text('undone')");
  check("and taken back", !existsSync(`${repository}/made.txt`));
  await page.click("[role=status] button:has-text('Undo')");
  await page.waitForFunction(() => !document.querySelector("[role=status]").textContent.includes("1 removed"));
  check("and done again", existsSync(`${repository}/made.txt`));
  await context.close();
  return href.split("/").at(-1);
})();

const pages = [
  "", "search", "search?q=when+does+the+ferry+leave", "search?q=ferry&kind=note&path=docs/**", "search?q=zzzz&mode=keyword",
  "answer?q=when+does+the+ferry+leave", "answer?q=who+won+the+lottery", "notes", "notes?folder=docs", "note/docs/ferry.md",
  "note/docs/ferry.md?mark=5#mark", "note/docs/pier.md?at=HEAD~1", "history/docs/pier.md", "lines/docs/ferry.md", "edit/docs/ferry.md",
  "entities", "entity/ferries", "merges", "graph", "graph?note=docs/ferry.md", "questions", "questions?state=dismissed", "memory", "memory?q=protoc", "patterns", "chat", "runs", `run/${run}`,
  "status", "nowhere", "note/gone.md", "note/evil/markup.md", "note/evil/deep.md", "note/evil/wide.md", "note/evil/large.md",
  "note/evil/right%E2%80%AEto%20left.md", "note/evil/100%25%20%22odd%22%20%231%3F.md", "search?q=alert",
];
const name = (page) => (page || "start").replace(/[^a-z0-9]+/gi, "_").slice(0, 50);
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1200, 320]) {
    const context = await signedIn({ colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
    const page = await opened(context);
    const found = [];
    for (const path of pages) {
      const before = faults.length;
      await page.goto(top + path);
      await page.waitForLoadState("networkidle").catch(() => {});
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (over > 0) found.push(`${path}: ${over} px too wide`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      for (const it of violations) found.push(`${path}: ${it.id} ${it.nodes[0].target}`);
      found.push(...faults.splice(before).map((fault) => `${path}: ${fault}`));
      await page.screenshot({ path: `${shots}/${colorScheme}-${width}-${name(path)}.png` });
    }
    check(`${pages.length} pages, ${colorScheme}, ${width} px: axe, width, console, requests, dialogs`, found.length === 0, found);
    await context.close();
  }
}

// -------------------------------------------------------------------------------- without script

{
  const context = await signedIn({ javaScriptEnabled: false });
  const page = await opened(context);
  const empty = [];
  for (const path of pages.filter((path) => !/^(chat|edit)/.test(path))) {
    await page.goto(top + path);
    const text = await page.textContent("main");
    if (text.trim().length < 20) empty.push(path);
  }
  check("every reading page says something without script", empty.length === 0, empty);
  await page.goto(top);
  await page.fill("#ask", "when does the ferry leave");
  await page.press("#ask", "Enter");
  await page.click(".passage >> nth=0");
  check("searching and opening a hit works without script", (await page.textContent("mark")).includes("leaves at dawn"), page.url());
  await context.close();
}

// ---------------------------------------------------------------------------------- by keyboard

{
  const context = await signedIn();
  const page = await opened(context);
  await page.goto(top);
  await page.keyboard.press("Tab");
  check("the first stop skips to the content", (await page.evaluate(() => document.activeElement.className)) === "skip");
  await page.keyboard.press("Enter");
  await page.keyboard.press("/");
  await page.keyboard.type("when does the ferry leave");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".passage");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/note/);
  check("search and open by keyboard alone", (await page.textContent("h1")).length > 0 && (await page.locator("mark").count()) > 0);
  await page.goto(`${top}note/docs/pier.md`);
  await page.keyboard.press("o");
  await page.waitForURL(/at=/);
  check("an older version by `o`", (await page.textContent("main")).includes("1931"));
  await page.keyboard.press("n");
  await page.waitForFunction(() => !document.querySelector("main").textContent.includes("1931"));
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  check("`?` explains, Escape goes on", true);
  await page.goto(`${top}edit/docs/cars.md`);
  await page.focus("#text");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Five more came.\n");
  await page.focus("form.edit button[type=submit]");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".diff:not([hidden])");
  check("what changes is shown before it is saved", (await page.textContent(".diff")).includes("+Five more came."), await page.textContent(".diff"));
  check("and how it would read", (await page.textContent(".preview")).includes("Five more came.") && (await page.locator(".preview h2").count()) === 1, await page.textContent(".preview"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("form.edit [role=status] a");
  check("saved by keyboard alone", readFileSync(`${repository}/docs/cars.md`, "utf8").endsWith("Five more came.\n"));
  await page.click("form.edit [role=status] button");
  await page.waitForTimeout(500);
  check("and taken back", !readFileSync(`${repository}/docs/cars.md`, "utf8").includes("Five more"));
  await page.goto(`${top}edit/docs/cars.md`);
  await page.waitForSelector("form.edit:not([hidden])");
  writeFileSync(`${repository}/docs/cars.md`, "# Cars\n\nNone.\n");
  await page.fill("#text", "# Cars\n\nMany.\n");
  await page.click("form.edit button[type=submit]");
  await page.waitForSelector("form.edit [role=status]:has-text('changed meanwhile')");
  check("a newer version is never written over", readFileSync(`${repository}/docs/cars.md`, "utf8").includes("None."));
  await page.goto(`${top}edit/docs/speaker.md`);
  await page.fill("#text", readFileSync(`${repository}/evil/markup.md`, "utf8"));
  await page.click("form.edit button[type=submit]");
  await page.waitForSelector(".looks:not([hidden])");
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  check("what would like to be markup is text before it is saved", (await page.locator(".preview :is(script, svg, iframe, style, img, [onclick])").count()) === 0 && violations.length === 0, violations.map((it) => it.id));
  await context.close();
}

// ------------------------------------------------------------------ questions, glances, pictures

{
  const context = await signedIn();
  const page = await opened(context);
  await page.goto(`${top}questions`);
  const question = page.locator("li[data-question]:has-text('docs/speaker.md')").first();
  await question.locator("button:has-text('Answer')").click();
  await question.locator("[role=status]:has-text('Answered: ')").waitFor();
  await question.locator("[role=status] button:has-text('Undo')").click();
  await question.locator("[role=status]:has-text('open again')").waitFor();
  check("a question is answered, and asked again", true);
  await page.goto(`${top}note/docs/pier.md`);
  const link = page.locator(".prose a:has-text('the ferry')");
  const peek = page.locator("#peek");
  for (let stops = 0; stops < 60 && !(await link.evaluate((it) => it === document.activeElement)); stops++) await page.keyboard.press("Tab");
  await peek.waitFor();
  check("a glance by keyboard", (await peek.textContent()).includes("leaves at dawn") && (await link.getAttribute("aria-describedby")) === "peek", await peek.textContent());
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  check("axe finds nothing in it", violations.length === 0, violations.map((it) => `${it.id} ${it.nodes[0].target}`));
  await page.keyboard.press("Escape");
  check("Escape takes it away, and the link keeps the focus", (await peek.count()) === 0 && (await link.evaluate((it) => it === document.activeElement)));
  await page.evaluate(() => document.activeElement.blur());
  await link.hover();
  await peek.waitFor();
  await peek.hover();
  await page.waitForTimeout(600);
  check("it stays under the pointer", (await peek.count()) === 1);
  await page.mouse.move(2, 2);
  await peek.waitFor({ state: "detached" });
  check("and goes when that goes", true);
  await page.goto(`${top}note/docs/ferry.md`);
  const width = await page.locator(".prose img").evaluate(async (it) => (await it.decode(), it.naturalWidth));
  check("a picture beside a note is shown", width === 8, width);
  await context.close();
}

// ------------------------------------------------------------------------------------------ live

{
  const context = await signedIn();
  const page = await opened(context);
  await page.goto(`${top}search`);
  await page.locator("#words").pressSequentially("when does the ferry", { delay: 30 });
  await page.waitForSelector("#hits .passage:has-text('leaves at dawn')", { timeout: 20_000 });
  check("hits come as one types", !page.url().includes("live="), page.url());
  await page.goto(`${top}notes?folder=docs`);
  writeFileSync(`${repository}/docs/lighthouse.md`, "# The lighthouse\n\nIt blinks.\n");
  await page.waitForSelector("text=The lighthouse", { timeout: 20_000 });
  check("lists follow notes without a reload", true);
  await context.close();
}

// ------------------------------------------------------------------------------ pages of others

/** What a page of others tries, with what it gets; `base` is where it thinks that ours is. */
const attempts = async (base) => {
  const page = base;
  const root = page.split("/").slice(0, 4).join("/");
  const evil = '{"act":"like","topic":"evil"}';
  const within = (time, what) => Promise.race([what, new Promise((done) => setTimeout(() => done("refused"), time))]);
  const tried = async (what) => {
    try {
      return await within(3000, what());
    } catch {
      return "refused";
    }
  };
  const element = (name, set) =>
    within(3000, new Promise((done) => {
      const it = document.createElement(name);
      it.onload = () => done(name === "iframe" ? (it.contentDocument?.body.textContent ?? "refused") : "loaded");
      it.onerror = () => done("refused");
      set(it);
      document.body.append(it);
    }));
  const read = async (address, options = {}) => {
    const answer = await fetch(address, { credentials: "include", ...options });
    return answer.ok && answer.type !== "opaque" ? answer.text() : "refused";
  };
  const form = async (type) => {
    const it = document.createElement("form");
    Object.assign(it, { method: "post", action: `${page}do`, enctype: type, target: "sink" });
    const input = document.createElement("input");
    [input.name, input.value] = ['{"act":"like","topic":"evil","x":"', '"}'];
    it.append(input);
    const sink = document.createElement("iframe");
    sink.name = "sink";
    document.body.append(sink, it);
    it.submit();
    await new Promise((done) => setTimeout(done, 500));
    return sink.contentDocument?.body?.textContent || "refused";
  };
  const json = { "Content-Type": "application/json", "X-Elophanto": "page" };
  return {
    fetch: await tried(() => read(page)),
    "fetch of a twin": await tried(() => read(`${page}status.json`)),
    "fetch without a cookie": await tried(() => read(page, { credentials: "omit" })),
    "fetch, no-cors": await tried(() => read(page, { mode: "no-cors" })),
    iframe: await element("iframe", (it) => (it.src = page)),
    script: await element("script", (it) => (it.src = `${root}/assets/page.js`)),
    "a twin as script": await element("script", (it) => (it.src = `${page}index.json`)),
    style: await element("link", (it) => Object.assign(it, { rel: "stylesheet", href: `${root}/assets/page.css` })),
    picture: await element("img", (it) => (it.src = `${root}/assets/icon.svg`)),
    "picture of a note": await element("img", (it) => (it.src = `${page}picture/docs/ferry.png`)),
    act: await tried(() => read(`${page}do`, { method: "POST", headers: json, body: evil })),
    "act, no-cors": await tried(() => read(`${page}do`, { method: "POST", mode: "no-cors", body: evil })),
    "act, text": await tried(() => read(`${page}do`, { method: "POST", headers: { "Content-Type": "text/plain" }, body: evil })),
    beacon: await tried(async () => (navigator.sendBeacon(`${page}do`, evil), "refused")),
    form: await tried(() => form("text/plain")),
    "form, encoded": await tried(() => form("application/x-www-form-urlencoded")),
    socket: await within(3000, new Promise((done) => {
      const it = new WebSocket(`${root.replace("http", "ws")}/socket`);
      it.onopen = () => done("open");
      it.onerror = () => done("refused");
    })),
    "socket of programs": await within(3000, new Promise((done) => {
      const it = new WebSocket(`${root.split("/").slice(0, 3).join("/").replace("http", "ws")}/gateway`);
      it.onopen = () => done("open");
      it.onerror = () => done("refused");
    })),
  };
};

{
  const stranger = "<!doctype html><title>stranger</title><body>stranger</body>";
  const sent = [];
  const evil = createServer((request, response) => {
    if (request.headers.cookie) sent.push(request.headers.cookie);
    response.setHeader("Content-Type", "text/html");
    response.end(stranger);
  });
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  const { port } = evil.address();
  writeFileSync(`${shots}/stranger.html`, stranger);
  const own = new URL(top);
  {
    // What is refused to others is there for our own page.
    const context = await signedIn();
    const page = await context.newPage();
    await page.goto(top);
    const seen = await page.evaluate(async (top) => {
      const read = async (address, options) => (await fetch(address, options)).status;
      const headers = { "Content-Type": "application/json", "X-Elophanto": "page" };
      const like = (act) => read(`${top}do`, { method: "POST", headers, body: JSON.stringify({ act, topic: "control" }) });
      return [await read(`${top}status.json`), await read(`${top}picture/docs/ferry.png`), await like("like"), await like("unlike")];
    }, top);
    check("our own page is answered", seen.every((status) => status === 200), seen);
    await context.close();
  }
  const rebound = `http://rebound.test:${own.port}`;
  for (const [what, address, base] of [
    ["another port of 127.0.0.1", `http://127.0.0.1:${port}/`, top],
    ["localhost", `http://localhost:${port}/`, top],
    ["localhost, as which it calls ours", `http://localhost:${port}/`, top.replace("127.0.0.1", "localhost")],
    ["a rebound name", `${rebound}/stranger`, top.replace(own.origin, rebound)],
    ["a rebound name, to our address", `${rebound}/stranger`, top],
    ["a file", `file://${shots}/stranger.html`, top],
  ]) {
    const context = await signedIn();
    const page = await context.newPage();
    const answered = [];
    page.on("response", (response) => {
      if (new URL(response.url()).port === own.port && response.status() < 400) answered.push(response.url());
    });
    // What was at the name before it was bound to this machine.
    await page.route(`${rebound}/stranger`, (route) => route.fulfill({ contentType: "text/html", body: stranger }));
    await page.goto(address);
    answered.length = 0;
    const seen = await page.evaluate(attempts, base);
    const got = Object.entries(seen).filter(([, value]) => value !== "refused");
    check(`${what}: a page of others reads, writes and opens nothing`, got.length === 0, got);
    check(`${what}: and is answered nothing`, answered.length === 0, answered);
    const ours = await context.newPage();
    await ours.goto(`${top}entities`);
    check(`${what}: nothing of it was done`, !(await ours.textContent("main")).includes("evil"));
    await context.close();
  }
  check("and others are sent no cookie of ours", sent.length === 0, sent);
  evil.close();
}

// ------------------------------------------------------------------------------------- exported

{
  const kinds = { ".png": "image/png", ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" };
  const site = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const file = join(process.env.SITE, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader("Content-Type", kinds[extname(file)] ?? "text/plain");
    response.end(readFileSync(file));
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  const context = await browser.newContext();
  const page = await opened(context);
  const base = `http://127.0.0.1:${site.address().port}/`;
  const found = [];
  for (const path of ["", "notes.html", "note/docs/ferry.md.html", "note/evil/markup.md.html", "entities.html", "entity/ferries.html", "graph.html", "search.html"]) {
    const before = faults.length;
    const answer = await page.goto(base + path);
    if (answer.status() !== 200) found.push(`${path}: ${answer.status()}`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run());
    for (const it of violations) found.push(`${path}: ${it.id} ${it.nodes[0].target}`);
    found.push(...faults.splice(before).map((fault) => `${path}: ${fault}`));
  }
  await page.goto(`${base}note/docs/ferry.md.html`);
  const width = await page.locator(".prose img").evaluate(async (it) => (await it.decode(), it.naturalWidth));
  check("an exported note shows its picture", width === 8, width);
  await page.goto(`${base}search.html`);
  check("exported pages: axe, console, requests", found.length === 0, found);
  await page.fill("#words", "ferry");
  await page.waitForSelector("#hits a");
  await page.click("#hits a >> nth=0");
  await page.waitForSelector("h1:has-text('ferry')");
  check("and searched in the browser", page.url().includes("ferry.md.html"), page.url());
  await context.close();
  site.close();
}

{
  const context = await signedIn();
  const page = await opened(context);
  await page.goto(`${top}chat`);
  await longChat(page);
  await context.close();
}

check("nothing else was said, asked or fetched", faults.length === 0, faults);
await browser.close();
