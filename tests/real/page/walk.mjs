// What somebody does who has never read the manual, once by mouse and once by keyboard: find a note, see who
// wrote a line, correct a fact, approve a run, take it back. Nothing is reached but by what is shown. One
// line per check.

import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const require = createRequire(`${process.env.MODULES}/`);
const { chromium } = require("playwright-core");
const { REPOSITORY: repository, ELOPHANTO: elophanto, SHOTS: shots } = process.env;

const check = (what, holds, seen) =>
  console.log(`${holds ? "ok" : "FAILED"}: ${what}${holds ? "" : `: ${JSON.stringify(seen)}`}`);
const address = () =>
  execFileSync(elophanto, ["page", "--print"], { cwd: repository, env: { PATH: process.env.PATH, HOME: process.env.HOME } })
    .toString()
    .trim();
/** More stops than this nobody goes through. */
const MOST_STOPS = 80;

/** Clicks where something is seen. */
const byMouse = (page) => ({
  use: async (it) => {
    await it.waitFor();
    await it.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await it.boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
  },
  select: async () => page.keyboard.press("Control+A"),
  stops: () => 0,
});

/** Goes from stop to stop, and presses Enter. */
const byKeyboard = (page) => {
  let most = 0;
  const isAt = (it) => it.evaluate((element) => element === document.activeElement).catch(() => false);
  return {
    use: async (it) => {
      await it.waitFor();
      let stops = 0;
      for (; stops < MOST_STOPS && !(await isAt(it)); stops++) await page.keyboard.press("Tab");
      most = Math.max(most, stops);
      if (!(await isAt(it))) throw new Error(`no stop is ${it}`);
      const isField = await it.evaluate((element) => element.matches("input, textarea"));
      if (!isField) await page.keyboard.press("Enter");
    },
    select: async () => page.keyboard.press("Control+A"),
    stops: () => most,
  };
};

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

const walk = async (name, hands, facts) => {
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 800 } })).newPage();
  page.setDefaultTimeout(10_000);
  await walked(page, name, hands, facts).catch(async (fault) => {
    await page.screenshot({ path: `${shots}/walk.png` });
    throw new Error(`${page.url()}: ${fault}`);
  });
  await page.context().close();
};

const walked = async (page, name, hands, [before, after]) => {
  const { use, select, stops } = hands(page);
  const said = async (selector) => (await page.textContent(selector)).trim();
  await page.goto(address());

  await use(page.locator("main input[type=search]"));
  await page.keyboard.type("when does the ferry leave");
  await use(page.locator("main button:has-text('Search')").first());
  await use(page.locator(".passage").first());
  await page.waitForURL(/note\//);
  check(`${name}: a note is found and opened at the sentence`, (await said("mark")).includes("leaves at dawn"), page.url());

  await use(page.locator("a:has-text('Who wrote it')"));
  await page.waitForURL(/lines\//);
  // The cells of whoever wrote it reach over all lines of a commit.
  const who = await page.locator("main tr").filter({ hasText: "leaves at dawn" }).evaluate((row) => {
    let first = row;
    while (first && !first.querySelector("td[rowspan]")) first = first.previousElementSibling;
    const reach = Number(first?.querySelector("td").rowSpan);
    return first && row.rowIndex - first.rowIndex < reach ? first.textContent : "";
  });
  check(`${name}: who wrote a line, and when`, /Ada/.test(who) && /\d{4}-\d\d-\d\d/.test(who), who);

  await use(page.locator("header a:text-is('Entities')"));
  await use(page.locator("main a:has-text('KEF LS50 Meta')").first());
  await page.waitForURL(/entity\//);
  check(`${name}: a fact, and where it comes from`, (await said("main")).includes(before) && (await said("main")).includes("docs/speaker.md"), await said("main"));
  await use(page.locator("a:has-text('Its page')"));
  await use(page.locator("a:text-is('Edit')"));
  const text = page.locator("#text");
  await use(text);
  const corrected = (await text.inputValue()).replaceAll(before, after);
  await select();
  await page.keyboard.insertText(corrected);
  await use(page.locator("button:has-text('Show what changes')"));
  await page.waitForSelector(".diff:not([hidden])");
  check(`${name}: what changes is shown`, (await said(".diff")).includes(after), await said(".diff"));
  await use(page.locator("button:text-is('Save')"));
  await page.waitForSelector("form.edit [role=status] a");
  const known = execFileSync("git", ["grep", "-l", "--untracked", after, "--", "knowledge"], { cwd: repository }).toString();
  check(`${name}: a fact is corrected`, known.trim().length > 0, known);
  await use(page.locator("header a:text-is('Entities')"));
  await use(page.locator("main a:has-text('KEF LS50 Meta')").first());
  await page.waitForURL(/entity\//);
  check(`${name}: and shown so`, (await said("main")).includes(after) && !(await said("main")).includes(before), await said("main"));

  await use(page.locator("header a:text-is('Chat')"));
  await page.waitForFunction(() => document.querySelector("#state")?.textContent === "Connected");
  await use(page.locator("#message"));
  await page.keyboard.type("Make a file");
  await use(page.locator("button:text-is('Send')"));
  await use(page.locator(".ask button:has-text('Once')").last());
  const run = page.locator("#said li.event a").last();
  await run.waitFor({ timeout: 60_000 });
  check(`${name}: a run is approved, and done`, existsSync(`${repository}/made.txt`), await said("#said"));
  await use(run);
  const back = page.locator("button:has-text('Take back')");
  await use(back);
  await use(page.locator(".acts button, main button").filter({ hasText: /sure|Take back|Yes/ }).first());
  await page.waitForSelector("[role=status]:has-text('undone')");
  check(`${name}: and taken back`, !existsSync(`${repository}/made.txt`), await said("main"));
  if (stops() > 0) check(`${name}: nothing is further than ${MOST_STOPS} stops away (${stops()})`, true);
};

await walk("by mouse", byMouse, ["7.8 kg", "7.9 kg"]);
await walk("by keyboard", byKeyboard, ["7.9 kg", "7.6 kg"]);
await browser.close();
