// The command line of the MCP Inspector against the server: every method, each in a process of its
// own, over standard streams as clients before 2026-07-28 do and over HTTP as those since then.
//
// Environment: MODULES, ELOPHANTO (the program), REPO, SEALED (environment as JSON), URL, TOKEN.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { MODULES, ELOPHANTO, REPO, SEALED, URL: url, TOKEN, PREFIX } = process.env;
const cases = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
const folder = join(MODULES, "node_modules/@modelcontextprotocol/inspector");
const program = join(folder, JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).bin["mcp-inspector"]);

let failed = 0;
async function check(name, work) {
  try {
    await work();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n    ${String(error?.message ?? error).slice(0, 900)}`);
  }
}
function must(holds, ...seen) {
  if (!holds) throw new Error(`not so: ${seen.map((it) => (typeof it === "string" ? it : JSON.stringify(it))).join(" ")}`);
}
const same = (a, b) => must(JSON.stringify(a) === JSON.stringify(b), a, "is not", b);
const at = (value, pointer) => pointer.split("/").slice(1).reduce((it, key) => it?.[key], value);
function filled(value, session, kept) {
  if (typeof value === "string") return value.startsWith("$") ? kept[value.slice(1)] : value.replaceAll("@", session);
  if (Array.isArray(value)) return value.map((it) => filled(it, session, kept));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, filled(it, session, kept)]));
  return value;
}

/** What one run printed, and how it ended. */
function run(era, kind, ...options) {
  const where = kind === "http" ? ["--transport", "http", "--server-url", url, "--header", `Authorization: Bearer ${TOKEN}`] : ["--", ELOPHANTO, "agent", "mcp", "serve"];
  const args = [program, "--cli", "--quiet", "--format", "json", "--protocol-era", era, ...options, ...where];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: REPO, env: JSON.parse(SEALED), timeout: 60000 });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

async function session(era, kind, version) {
  const label = `inspector ${kind} ${version}`;
  const name = `${PREFIX}${kind}`;
  const ask = async (...options) => {
    const { code, out, err } = await run(era, kind, ...options);
    must(code === 0, `exit ${code}`, out, err);
    return JSON.parse(out).result;
  };
  const call = (tool, args) => ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args ?? {})];
  const kept = {};
  await check(`${label}: initialize`, async () => {
    const { protocolVersion, serverInfo } = await ask("--method", "initialize");
    same([protocolVersion, serverInfo.name], [version, "elophanto"]);
  });
  await check(`${label}: tools/list, no schema with an error`, async () => {
    const { tools } = await ask("--method", "tools/list", "--strict");
    same(Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations.readOnlyHint])), cases.tools);
  });
  for (const wanted of cases.calls.filter((it) => it.is !== "harbour-test")) {
    await check(`${label}: ${wanted.tool} ${JSON.stringify(wanted.arguments)}`, async () => {
      const result = await ask(...call(wanted.tool, filled(wanted.arguments, name, kept)));
      same(at(result.structuredContent, wanted.at), filled(wanted.is, name, kept));
      for (const [key, pointer] of Object.entries(wanted.keep ?? {})) kept[key] = at(result.structuredContent, pointer);
    });
  }
  const fails = (what, says, ...options) => [
    `${label}: refuses ${what}`,
    async () => {
      const { code, out, err } = await run(era, kind, ...options);
      must(code !== 0 && (out + err).includes(JSON.stringify(says).slice(1, -1)), `exit ${code}`, out, err);
    },
  ];
  const prompt = (prompt, args) => {
    const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
    return ["--method", "prompts/get", "--prompt-name", prompt, ...(pairs.length ? ["--prompt-args", ...pairs] : [])];
  };
  const rest = [
    // Over HTTP every fifth of them: what is refused is the same, and each is a process.
    ...cases.refused.filter((_, i) => kind === "stdio" || i % 5 === 0).map((it) => fails(`${it.tool} ${JSON.stringify(it.arguments)}`, it.says, ...call(it.tool, filled(it.arguments, name, kept)))),
    fails("an unknown tool", "serch", ...call("serch", {})),
    ...cases.faulty_uris.map((uri) => fails(uri, "there is no such note", "--method", "resources/read", "--uri", uri)),
    ...cases.faulty_prompts.map((it) => fails(`prompt ${it.name} ${JSON.stringify(it.arguments)}`, it.says, ...prompt(it.name, it.arguments))),
    [`${label}: resources/list and resources/read`, async () => {
      const { resources } = await ask("--method", "resources/list");
      const note = resources.find((it) => it.name === "notes/日本語 & 🦀.md");
      must(resources.length > 110, resources.length);
      const { contents } = await ask("--method", "resources/read", "--uri", note.uri);
      must(contents[0].uri === note.uri && contents[0].text.includes("żółw"), contents);
    }],
    [`${label}: resources/templates/list`, async () => {
      const { resourceTemplates } = await ask("--method", "resources/templates/list");
      same(resourceTemplates.map((it) => it.uriTemplate), ["elophanto://note/{+path}"]);
    }],
    [`${label}: prompts/list`, async () => {
      same((await ask("--method", "prompts/list")).prompts.map((it) => it.name), Object.keys(cases.prompts));
    }],
    ...Object.entries(cases.prompts).flatMap(([name, all]) => all.map((args) => [`${label}: prompts/get ${name} ${JSON.stringify(args)}`, async () => {
      const { messages } = await ask(...prompt(name, args));
      for (const value of Object.values(args)) must(messages[0].content.text.includes(JSON.stringify(value)), messages);
    }])),
  ];
  // Independent of each other: two at a time.
  const queue = rest.values();
  await Promise.all([0, 1].map(async () => {
    for (const [name, work] of queue) await check(name, work);
  }));
}

await session("legacy", "stdio", "2025-11-25");
await session("modern", "http", "2026-07-28");
process.exit(failed ? 1 : 0);
