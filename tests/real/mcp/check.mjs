// Both official TypeScript SDKs against the server: `@modelcontextprotocol/sdk` speaks the versions
// that begin with `initialize`, `@modelcontextprotocol/client` those and 2026-07-28.
//
// Environment: ELOPHANTO (the program), REPO, SEALED (the server's environment as JSON), URL, TOKEN.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages are installed elsewhere.
const require = createRequire(join(process.env.MODULES, "package.json"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const v1 = {
  ...(await load("@modelcontextprotocol/sdk/client/index.js")),
  ...(await load("@modelcontextprotocol/sdk/client/stdio.js")),
  ...(await load("@modelcontextprotocol/sdk/client/streamableHttp.js")),
  ...(await load("@modelcontextprotocol/sdk/types.js")),
};
const v2 = {
  ...(await load("@modelcontextprotocol/client")),
  ...(await load("@modelcontextprotocol/client/stdio")),
};

const { ELOPHANTO, REPO, SEALED, URL: url, TOKEN } = process.env;
const cases = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
const identity = { name: "harbour-test", version: "1.0.0" };
const INVALID = -32602;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let failed = 0;
async function check(name, work) {
  try {
    await work();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n    ${String(error?.stack ?? error).split("\n").slice(0, 4).join("\n    ")}`);
  }
}
function must(holds, ...seen) {
  if (!holds) throw new Error(`not so: ${seen.map((it) => (typeof it === "string" ? it : JSON.stringify(it))).join(" ").slice(0, 900)}`);
}
const same = (a, b) => must(JSON.stringify(a) === JSON.stringify(b), a, "is not", b);
async function rejects(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`succeeded: ${JSON.stringify(value).slice(0, 300)}`);
}
const at = (value, pointer) => pointer.split("/").slice(1).reduce((it, key) => it?.[key], value);

/** `@` becomes the name of this session, a whole text `$name` what was kept under that name. */
function filled(value, session, kept) {
  if (typeof value === "string") return value.startsWith("$") ? kept[value.slice(1)] : value.replaceAll("@", session);
  if (Array.isArray(value)) return value.map((it) => filled(it, session, kept));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, filled(it, session, kept)]));
  return value;
}

function transport(sdk, kind, token = TOKEN) {
  if (kind === "http") {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    return new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  }
  return new sdk.StdioClientTransport({ command: ELOPHANTO, args: ["agent", "mcp", "serve"], cwd: REPO, env: JSON.parse(SEALED), stderr: "ignore" });
}

/** A client of either SDK behind one face. */
async function connect(sdk, kind, version, token) {
  const wire = transport(sdk, kind, token);
  const events = { updated: [], listed: 0 };
  const updated = (notice) => void events.updated.push(notice.params.uri);
  const listed = () => void (events.listed += 1);
  let client, negotiated;
  if (sdk === v1) {
    client = new v1.Client(identity);
    const set = wire.setProtocolVersion?.bind(wire);
    wire.setProtocolVersion = (chosen) => {
      negotiated = chosen;
      set?.(chosen);
    };
    client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, updated);
    client.setNotificationHandler(v1.ResourceListChangedNotificationSchema, listed);
    // This SDK only ever asks for its newest version, and then takes whatever the server chose.
    const send = wire.send.bind(wire);
    wire.send = (message, options) => {
      if (message.method === "initialize") message = { ...message, params: { ...message.params, protocolVersion: version } };
      return send(message, options);
    };
    await client.connect(wire, { timeout: 20000 });
  } else {
    const modern = version >= "2026";
    const options = modern ? { versionNegotiation: { mode: { pin: version } } } : { supportedProtocolVersions: [version] };
    client = new v2.Client(identity, options);
    client.setNotificationHandler("notifications/resources/updated", updated);
    client.setNotificationHandler("notifications/resources/list_changed", listed);
    await client.connect(wire, { timeout: 20000 });
    negotiated = client.getNegotiatedProtocolVersion();
  }
  // What the server sent, before the SDK looks at it.
  const replies = [];
  const sent = [];
  const [receive, give] = [wire.onmessage, wire.send.bind(wire)];
  wire.onmessage = (message, extra) => {
    if (message.id !== undefined && !message.method) replies.push(message.id);
    return receive(message, extra);
  };
  wire.send = (message, options) => {
    if (message.id !== undefined) sent.push(message.id);
    return give(message, options);
  };
  const face = {
    client, events, replies, sent, negotiated, modern: version >= "2026",
    // The second SDK shows older servers' code for it as the one of 2026-07-28.
    notFound: sdk === v1 ? -32002 : INVALID,
    call: (name, args, options = {}) => {
      const params = args === null ? { name } : { name, arguments: args };
      options = { timeout: 60000, ...options };
      return sdk === v1 ? client.callTool(params, undefined, options) : client.callTool(params, options);
    },
    async subscribe(...uris) {
      if (!face.modern) {
        for (const uri of uris) await client.subscribeResource({ uri });
        return async (uri) => void (await client.unsubscribeResource({ uri }));
      }
      const open = await client.listen({ resourcesListChanged: true, resourceSubscriptions: uris });
      same([...open.honoredFilter.resourceSubscriptions].sort(), [...uris].sort());
      return async () => {
        await open.close();
        same(await open.closed, "local");
      };
    },
    async close() {
      if (kind === "http" && !face.modern) await wire.terminateSession();
      await client.close();
    },
  };
  return face;
}

async function until(what, holds, again, ms = 15000) {
  const end = Date.now() + ms;
  for (let round = 0; Date.now() < end; round += 1) {
    await again(round);
    for (let i = 0; i < 40; i += 1) {
      if (holds()) return;
      await sleep(50);
    }
  }
  throw new Error(`${what}: not within ${ms} ms`);
}

let sessions = 0;
async function session(label, sdk, kind, version) {
  sessions += 1;
  const name = `${process.env.PREFIX}${sessions}`;
  let it;
  await check(`${label}: connects`, async () => {
    it = await connect(sdk, kind, version);
    same(it.negotiated, version);
    same(it.client.getServerVersion().name, "elophanto");
    must(it.client.getInstructions().includes("quoted data"), "instructions");
    const able = it.client.getServerCapabilities();
    must(able.tools && able.prompts && able.resources.subscribe && able.resources.listChanged, able);
  });
  if (!it) return;
  const { client } = it;
  const kept = {};
  await check(`${label}: tools are listed with schemas and annotations`, async () => {
    const { tools } = await client.listTools();
    same(Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations.readOnlyHint])), cases.tools);
    for (const tool of tools) {
      must(tool.description && tool.inputSchema.type === "object" && tool.outputSchema?.type === "object", tool);
      must(tool.outputSchema.required.length > 0, tool);
    }
  });
  for (const [index, wanted] of cases.calls.entries()) {
    await check(`${label}: call ${index + 1}, ${wanted.tool} ${JSON.stringify(wanted.arguments)}`, async () => {
      // The SDK holds the structured answer against the tool's output schema.
      const result = await it.call(wanted.tool, filled(wanted.arguments, name, kept));
      must(!result.isError && result.content[0].type === "text", result);
      same(at(result.structuredContent, wanted.at), filled(wanted.is, name, kept));
      if (wanted.text) must(result.content[0].text.includes(filled(wanted.text, name, kept)), result.content[0].text, "lacks", wanted.text);
      for (const [key, pointer] of Object.entries(wanted.keep ?? {})) kept[key] = at(result.structuredContent, pointer);
    });
  }
  for (const wanted of cases.refused) {
    await check(`${label}: refuses ${wanted.tool} ${JSON.stringify(wanted.arguments)}`, async () => {
      const result = await it.call(wanted.tool, filled(wanted.arguments, name, kept));
      must(result.isError === true && result.content[0].text.includes(wanted.says), result);
    });
  }
  await check(`${label}: an unknown tool is an error that names the one meant`, async () => {
    const error = await rejects(it.call("serch", {}));
    same(error.code, INVALID);
    must(error.message.includes("did you mean `search`?") && error.data.tools.length === 10, error);
  });
  await check(`${label}: resources are listed in pages, each once, and all can be read`, async () => {
    const uris = [];
    let cursor, pages = 0;
    do {
      // An empty cursor would be none of the server's: without one, the second SDK walks all pages.
      const page = await client.listResources(cursor ? { cursor } : undefined);
      uris.push(...page.resources.map((resource) => resource.uri));
      must(page.resources.every((resource) => resource.mimeType === "text/markdown" && resource.size !== 0), page.resources);
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor);
    must(pages === (sdk === v1 ? 2 : 1), pages, "pages");
    must(uris.length > 110 && new Set(uris).size === uris.length, uris.length);
    for (const uri of uris.filter((uri) => !uri.includes("/many/"))) {
      const { contents } = await client.readResource({ uri });
      must(contents.length === 1 && contents[0].uri === uri && contents[0].text.startsWith("Quoted from"), contents);
    }
    must(uris.some((uri) => uri.includes("/entities/")) && uris.some((uri) => uri.includes("%F0%9F%A6%80")), uris);
  });
  await check(`${label}: the template of resources`, async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    same(resourceTemplates.map((template) => template.uriTemplate), ["elophanto://note/{+path}"]);
  });
  for (const uri of cases.faulty_uris) {
    await check(`${label}: nothing is read at ${uri}`, async () => {
      const error = await rejects(client.readResource({ uri }));
      same(error.code, it.notFound);
      same(error.data?.uri, uri);
    });
  }
  await check(`${label}: a cursor of nobody's is refused`, async () => {
    same((await rejects(client.listResources({ cursor: "../../etc" }))).code, INVALID);
  });
  await check(`${label}: prompts`, async () => {
    const { prompts } = await client.listPrompts();
    same(prompts.map((prompt) => prompt.name), Object.keys(cases.prompts));
    for (const prompt of prompts) same(prompt.arguments.filter((it) => it.required).map((it) => it.name), ["task"]);
  });
  for (const [prompt, all] of Object.entries(cases.prompts)) {
    for (const args of all) {
      await check(`${label}: prompt ${prompt} ${JSON.stringify(args)}`, async () => {
        const { messages } = await client.getPrompt({ name: prompt, arguments: args });
        same(messages.map((message) => message.role), ["user"]);
        for (const value of Object.values(args)) must(messages[0].content.text.includes(JSON.stringify(value)), messages);
      });
    }
  }
  for (const wanted of cases.faulty_prompts) {
    await check(`${label}: refuses prompt ${wanted.name} ${JSON.stringify(wanted.arguments)}`, async () => {
      const error = await rejects(client.getPrompt({ name: wanted.name, arguments: wanted.arguments }));
      must(error.code === INVALID && error.message.includes(wanted.says), error);
    });
  }
  await check(`${label}: progress is told to who asks`, async () => {
    const steps = [];
    // The watching server may have read the note before: then there is nothing to tell.
    for (let round = 0; round < 5 && !steps.length; round += 1) {
      for (let i = 0; i < 5; i += 1) writeFileSync(join(REPO, `notes/progress-${i}.md`), `# Progress ${i}\n\n${name}, round ${round}\n`);
      const result = await it.call("search", { query: "progress" }, { onprogress: (step) => steps.push(step) });
      must(result.structuredContent.hits.length > 0, result);
    }
    must(steps.length > 0, "no step");
    must(steps.every((step, i) => step.progress > (steps[i - 1]?.progress ?? 0) && step.progress <= step.total && step.message === "notes"), steps);
  });
  await check(`${label}: a call can be cancelled, the others go on`, async () => {
    // Only so many calls run at once: those before it keep the last one waiting.
    const others = Array.from({ length: 40 }, (_, i) => it.call("search", { query: `ferry and ${i}` }));
    await Promise.race(others);
    const abort = new AbortController();
    const path = `knowledge/learned/notes/cancelled-${name}.md`;
    const before = it.sent.length;
    const cancelled = rejects(it.call("write_note", { title: "Cancelled", text: "No.", path }, { signal: abort.signal }));
    while (it.sent.length === before) await sleep(1);
    const id = it.sent[before];
    abort.abort("no longer wanted");
    const error = await cancelled;
    must(/no longer wanted|abort/i.test(String(error?.message ?? error)), String(error));
    for (const result of await Promise.all(others)) must(result.structuredContent.hits.length > 0, result);
    same((await it.call("status", {})).structuredContent.repository, "harbour");
    if (kind === "stdio") {
      must(!it.replies.includes(id), "the cancelled call was answered");
      must((await it.call("get", { path })).isError, "the cancelled call was done");
    }
  });
  await check(`${label}: changed notes are told`, async () => {
    const [a, b] = ["notes/watched a.md", "notes/watched-b.md"];
    const uri = (path) => `elophanto://note/${encodeURI(path)}`;
    const seen = (path) => it.events.updated.filter((it) => it === uri(path)).length;
    const write = (path) => appendFileSync(join(REPO, path), `\nSaid in ${name}.\n`);
    const end = await it.subscribe(uri(a), uri(b));
    await until("a change", () => seen(a) && seen(b), () => { write(a); write(b); });
    const created = `notes/new-${name}.md`;
    await until("the list's change", () => it.events.listed > 0, (round) => writeFileSync(join(REPO, created), `# New ${name}\n\nRound ${round}.\n`));
    must((await client.readResource({ uri: uri(created) }, { cacheMode: "refresh" })).contents[0].text.includes(`# New ${name}`));
    await end(uri(a));
    if (it.modern) return;
    await sleep(1500);
    const [oldA, oldB] = [seen(a), seen(b)];
    await until("the other's change", () => seen(b) > oldB, () => { write(a); write(b); });
    same(seen(a), oldA);
    same((await rejects(client.subscribeResource({ uri: "file:///etc/passwd" }))).code, it.notFound);
  });
  if (!it.modern) await check(`${label}: ping`, () => client.ping());
  await check(`${label}: ends`, () => it.close());
}

const old = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
for (const kind of ["stdio", "http"]) {
  for (const version of old) await session(`sdk ${kind} ${version}`, v1, kind, version);
  for (const version of [old.at(-1), "2026-07-28"]) await session(`client ${kind} ${version}`, v2, kind, version);
}
for (const [label, sdk, version] of [["sdk", v1, old.at(-1)], ["client", v2, "2026-07-28"]]) {
  for (const [what, token] of [["a wrong", "wrong"], ["no", ""]]) {
    await check(`${label} http: with ${what} token nobody comes in`, async () => {
      const error = await rejects(connect(sdk, "http", version, token));
      must(/401|unauthorized|bearer|token/i.test(`${error?.name} ${error?.code} ${error?.message}`), String(error));
    });
  }
}
await check("client stdio: finds out by itself what is newest", async () => {
  const client = new v2.Client(identity, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport(v2, "stdio"));
  same(client.getNegotiatedProtocolVersion(), "2026-07-28");
  await client.close();
});
process.exit(failed ? 1 : 0);
