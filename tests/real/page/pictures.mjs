// Pictures of pages, as files.

import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";

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
/** A picture as WebP, as the browser makes it. */
const smaller = async (png) => {
  const blank = await context.newPage();
  const made = await blank.evaluate(async (text) => {
    const it = Object.assign(new Image(), { src: `data:image/png;base64,${text}` });
    await it.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: it.width, height: it.height });
    canvas.getContext("2d").drawImage(it, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
  }, png.toString("base64"));
  await blank.close();
  return Buffer.from(made, "base64");
};
const shown = async (name, path, scheme, ready) => {
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(top + path);
  await page.waitForSelector(ready);
  await page.waitForLoadState("networkidle");
  const bytes = await smaller(await page.screenshot());
  console.log(`${name}.webp: ${bytes.length} bytes`);
  if (bytes.length > MOST_BYTES) throw new Error(`${name}.webp has more than ${MOST_BYTES} bytes`);
  writeFileSync(`${pictures}/${name}.webp`, bytes);
};
await shown("search", "search?q=how+is+a+run+of+the+agent+taken+back", "light", "#hits .passage");
await shown("note", "note/knowledge/system/designs/page.md", "light", ".prose");
await page.setViewportSize({ width: 1120, height: 800 });
await shown("graph", "graph?note=knowledge/system/architecture.md", "dark", ".graph svg");
await browser.close();
