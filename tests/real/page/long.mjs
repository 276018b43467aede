// A conversation of 2,000 messages in a browser: the longest time in which nothing could be drawn while it
// grew, while it is scrolled through, and while one types below it. Figures, no checks: machines differ.

const ROUNDS = 1000;

/** The longest pause between two frames, in milliseconds, until `stop` is called. */
const watchFrames = () => {
  window.pauses = [];
  let last = performance.now();
  const frame = (now) => {
    window.pauses.push(now - last);
    last = now;
    window.watched = requestAnimationFrame(frame);
  };
  window.watched = requestAnimationFrame(frame);
};
const longest = (page) =>
  page.evaluate(() => {
    const most = Math.max(...window.pauses);
    window.pauses = [];
    return Math.round(most);
  });

export const longChat = async (page) => {
  await page.waitForFunction(() => document.querySelector("#state").textContent === "Connected");
  await page.evaluate(watchFrames);
  await page.evaluate(async (rounds) => {
    const [form, message, said] = ["say", "message", "said"].map((id) => document.getElementById(id));
    for (let round = 0; round < rounds; round += 1) {
      const before = said.querySelectorAll("li.agent, li.error").length;
      message.value = "/help";
      form.requestSubmit();
      while (said.querySelectorAll("li.agent, li.error").length === before) await new Promise((done) => setTimeout(done, 5));
    }
  }, ROUNDS);
  const grown = await longest(page);
  const messages = await page.evaluate(() => document.querySelectorAll("#said > li").length);
  await page.evaluate(async () => {
    const said = document.getElementById("said");
    const turn = () => new Promise((done) => requestAnimationFrame(done));
    for (let at = 0; at <= 100; at += 1) {
      said.scrollTop = (said.scrollHeight * at) / 100;
      await turn();
    }
  });
  const scrolled = await longest(page);
  await page.locator("#message").pressSequentially("what is written below two thousand messages", { delay: 10 });
  const typed = await longest(page);
  console.log(`figure: ${messages} messages; longest pause while it grew ${grown} ms, scrolled ${scrolled} ms, typed ${typed} ms`);
};
