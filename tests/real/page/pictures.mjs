// Pictures of pages, as files.

import { createRequire } from "node:module";
import { statSync } from "node:fs";

const require = createRequire(`${process.env.MODULES}/`);
const { chromium } = require("playwright-core");
const { CHROMIUM: executablePath, PICTURES: pictures, URL: url } = process.env;
const MOST_BYTES = 120_000;

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1120, height: 700 }, reducedMotion: "reduce" });
const page = await context.newPage();
await page.goto(url);
await page.waitForSelector("form.large");
const top = url.split("#")[0];
const shown = async (name, path, scheme, ready) => {
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(top + path);
  await page.waitForSelector(ready);
  await page.waitForLoadState("networkidle");
  const file = `${pictures}/${name}.png`;
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  console.log(`${name}.png: ${size} bytes`);
  if (size > MOST_BYTES) throw new Error(`${name}.png has more than ${MOST_BYTES} bytes`);
};
await shown("search", "search?q=how+is+a+run+of+the+agent+taken+back", "light", "#hits .passage");
await shown("note", "note/knowledge/system/designs/page.md", "light", ".prose");
await shown("graph", "graph?note=knowledge/system/glossary.md", "dark", ".graph svg");
await browser.close();
