// What pages of elophanto do beside being read: everything here can be done without it. Text becomes
// text, never markup.

const site = document.body.dataset.site ?? "";
const $ = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** An element with attributes and children; texts are texts. */
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

// ------------------------------------------------------------------------------------- coming in

const comeIn = async () => {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (!ticket) return;
  // It is good once: neither the history nor a copied address has it.
  history.replaceState(null, "", location.pathname + location.search);
  const top = new URL(document.body.dataset.enter ?? `${site}../session`, location.href);
  const headers = { "Content-Type": "application/json", "X-Elophanto": "page" };
  const answer = await fetch(top, { method: "POST", headers, body: JSON.stringify({ ticket }) });
  if (answer.ok) location.reload();
  else if ($("#why")) $("#why").textContent = "This address was used already, or is older than a minute.";
};
comeIn();
// An address that is put into a page that is open already.
window.addEventListener("hashchange", comeIn);

// ------------------------------------------------------------------------------------------ keys

const items = () => all("[data-list] > li, [data-list] > tr").filter((item) => item.offsetParent !== null);
let at = -1;

const go = (step) => {
  const list = items();
  if (list.length === 0) return;
  list[at]?.removeAttribute("data-at");
  at = Math.min(Math.max(at + step, 0), list.length - 1);
  const item = list[at];
  item.setAttribute("data-at", "");
  const target = $("a[href]", item) ?? item;
  target.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
};

const explain = () => {
  const rows = [
    ["/", "search"], ["j", "next of a list"], ["k", "the one before"], ["Enter", "open it"],
    ["o", "older version of a note"], ["n", "newer version, or next page"], ["?", "this"],
  ];
  const table = make("table", {}, make("tbody", {}, ...rows.map(([key, what]) =>
    make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, what)))));
  const close = make("button", { type: "button" }, "Close");
  const dialog = make("dialog", { "aria-labelledby": "keys" }, make("h2", { id: "keys" }, "Keys"), table, close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "Escape" && typing) typing.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  const does = {
    "/": () => ($("[data-live-search]") ?? $("#ask") ?? $("#q"))?.focus(),
    j: () => go(1),
    k: () => go(-1),
    o: () => $(".slider [rel=prev], .pager [rel=prev]")?.click(),
    n: () => $(".slider [rel=next], .pager [rel=next]")?.click(),
    "?": explain,
  }[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});

// --------------------------------------------------------------------------- search as you type

/** The words of a snippet, as they come: marks are the server's business. */
const hit = (place) => {
  const text = place.snippet.trim();
  const words = place.address ? make("a", { class: "passage", href: place.address }, text) : make("p", { class: "passage" }, text);
  const section = place.breadcrumb.at(-1);
  return make("div", { class: "hit" }, section ? make("p", { class: "section" }, section) : null, words,
    make("p", { class: "why" }, `line ${place.line}, score ${place.score.toFixed(2)}`,
      ...place.editor ? [" ", make("a", { href: place.editor }, "Open in your editor")] : []));
};

const file = (found) => {
  const first = found.places[0];
  const title = first.address ? make("a", { href: first.address }, found.title) : found.title;
  return make("li", { class: "file" }, make("h2", {}, title),
    make("p", { class: "quiet" }, make("bdi", {}, found.path)), ...found.places.map(hit));
};

const box = $("[data-live-search]");
const hits = $("#hits");
if (box && hits) {
  let asked = 0;
  let timer = 0;
  let before = new AbortController();
  const search = async () => {
    const form = new FormData(box.form);
    const query = new URLSearchParams([...form].filter(([, value]) => value));
    const number = ++asked;
    if (!query.get("q")?.trim() || query.has("everywhere")) return;
    history.replaceState(null, "", `?${query}`);
    query.set("live", "1");
    before.abort();
    before = new AbortController();
    const answer = await fetch(`${site}search.json?${query}`, { signal: before.signal }).catch(() => null);
    if (!answer?.ok || number !== asked) return;
    const found = await answer.json();
    if (number !== asked) return;
    at = -1;
    hits.replaceChildren(make("p", { class: "said" }, found.said),
      make("ol", { class: "hits", "data-list": "" }, ...found.files.map(file)));
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 60);
  });
}

// --------------------------------------------------------- searching where pages are files

const indexed = $("[data-index]");
if (indexed) {
  const query = new URLSearchParams(location.search).get("q");
  let notes;
  const look = async () => {
    notes ??= await (await fetch(indexed.dataset.index)).json();
    const words = indexed.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : notes
      .map(([address, title, path, text]) => {
        const [inTitle, inText] = [`${title} ${path}`.toLowerCase(), text.toLowerCase()];
        const score = words.map((word) => (inTitle.includes(word) ? 3 : inText.includes(word) ? 1 : -99)).reduce((a, b) => a + b, 0);
        return { address, title, path, score };
      })
      .filter((note) => note.score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, 50);
    const line = (note) => make("li", {}, make("a", { href: note.address }, note.title), make("span", { class: "quiet" }, ` ${note.path}`));
    hits.replaceChildren(make("p", {}, words.length ? `${found.length} notes` : ""), make("ol", { class: "notes", "data-list": "" }, ...found.map(line)));
  };
  indexed.addEventListener("input", look);
  if (query) {
    indexed.value = query;
    look();
  }
}

// ------------------------------------------------------------------------------- what changed

let number = Number(document.body.dataset.number);
if (site && number && $("[data-live], [data-note]")) {
  const news = make("div", { id: "news", role: "status" });
  document.body.append(news);
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(`${site}index.json`).catch(() => null);
    if (answer?.status === 401) news.replaceChildren("This browser may not come in any more: run elophanto page.");
    if (!answer?.ok) return;
    const start = await answer.json();
    if (start.number === number) return;
    const list = $("[data-live] ol.notes");
    if (!list) {
      news.replaceChildren("Notes have changed. ", make("a", { href: location.href }, "Show"));
      return;
    }
    number = start.number;
    const twin = await fetch(`${$("[data-live]").dataset.live}.json${location.search}`).catch(() => null);
    if (!twin?.ok) return;
    const told = await twin.json();
    list.replaceChildren(...(told.latest ?? told.notes).map((note) => make("li", {},
      make("a", { href: `${site}note/${note.path.split("/").map(encodeURIComponent).join("/")}` }, note.title),
      make("span", { class: "quiet" }, " ", make("bdi", {}, note.path), `, ${note.changed?.slice(0, 10) ?? ""}`))));
    at = -1;
    news.replaceChildren("The list is up to date again.");
    setTimeout(() => news.replaceChildren(), 4000);
  };
  setInterval(look, 5000);
  document.addEventListener("visibilitychange", look);
}

// ----------------------------------------------------------------------------------- what is done

/** Asks for something to be done: what came of it, or why not. */
const act = async (wanted) => {
  const headers = { "Content-Type": "application/json", "X-Elophanto": "page" };
  const answer = await fetch(`${site}do`, { method: "POST", headers, body: JSON.stringify(wanted) }).catch(() => null);
  if (!answer) return { error: "the gateway does not answer" };
  return answer.json().catch(() => ({ error: `refused (${answer.status})` }));
};

/** How a text would read, as the server makes it: it comes as a document, no text becomes markup here. */
const preview = (wanted) => new Promise((done) => {
  const request = new XMLHttpRequest();
  request.open("POST", `${site}do`);
  request.responseType = "document";
  request.setRequestHeader("Content-Type", "application/json");
  request.setRequestHeader("X-Elophanto", "page");
  request.onloadend = () => {
    const made = request.status === 200 ? $("div", request.response) : null;
    done(made ? [document.importNode(made, true)] : ["It cannot be shown just now."]);
  };
  request.send(JSON.stringify(wanted));
});

/** Says what came of it, and offers to take it back. */
const tell = (status, done) => {
  const text = done.error ? `Not done: ${done.error}${done.hint ? `; ${done.hint}` : ""}.` : done.said;
  status.replaceChildren(text);
  if (!done.undo) return;
  const undo = make("button", { type: "button", class: "plain" }, "Undo");
  undo.addEventListener("click", async () => {
    undo.disabled = true;
    tell(status, await act(done.undo));
  });
  status.append(" ", undo);
};

for (const button of all("[data-act]")) {
  button.hidden = false;
  let isSure = !button.dataset.sure;
  button.addEventListener("click", async () => {
    if (!isSure) {
      isSure = true;
      button.textContent += ": sure?";
      return;
    }
    button.disabled = true;
    tell($("[role=status]", button.parentElement), await act(JSON.parse(button.dataset.act)));
  });
}

for (const form of all("[data-form]")) {
  form.hidden = false;
  const status = $("[role=status]", form);
  const fields = () => Object.fromEntries(new FormData(form));
  const save = $("[data-save]", form);
  const looks = $(".looks", form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sent = fields();
    const done = await act({ ...JSON.parse(form.dataset.form), ...sent });
    if (!save) return tell(status, done);
    if (done.diff) {
      $(".diff", form).textContent = done.diff;
      $(".preview", form).replaceChildren(...(await preview({ ...JSON.parse(form.dataset.preview), ...sent })));
      // What was written meanwhile is not what is shown.
      if (JSON.stringify(sent) !== JSON.stringify(fields())) return tell(status, { said: "It was changed meanwhile: look again." });
    }
    looks.hidden = save.hidden = !done.diff;
    tell(status, { ...done, undo: null });
  });
  form.addEventListener("input", () => {
    if (save) save.hidden = looks.hidden = true;
  });
  save?.addEventListener("click", async () => {
    const done = await act({ ...JSON.parse(form.dataset.then), ...fields() });
    tell(status, done);
    if (done.error) return;
    save.hidden = true;
    status.append(" ", make("a", { href: form.dataset.back }, "Read it"));
    for (const name of ["form", "then"]) form.dataset[name] = JSON.stringify({ ...JSON.parse(form.dataset[name]), hash: done.hash });
  });
}

// What is being looked at is shown when that is done.
if ($("[data-again]")) setTimeout(() => location.reload(), 1500);

// ------------------------------------------------------------------------------- what is copied

for (const code of all("code.copy")) {
  const button = make("button", { type: "button", class: "plain" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  });
  code.after(" ", button);
}

// --------------------------------------------------------------------- a glance at where links lead

const reach = new RegExp(`^${site.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}((?:note|entity)/[^?#]+)`);
const glances = new Map();
let shown = null;
let soon = 0;

const away = () => {
  clearTimeout(soon);
  $("#peek")?.remove();
  shown?.removeAttribute("aria-describedby");
  shown = null;
};

const glance = async (link) => {
  const what = reach.exec(new URL(link.href, location.href).pathname)?.[1];
  if (!what || link === shown) return;
  if (!glances.has(what)) {
    const answer = await fetch(`${site}peek/${what}.json`).catch(() => null);
    glances.set(what, answer?.ok ? await answer.json() : null);
  }
  const said = glances.get(what);
  if (!said?.words || (!link.matches(":hover") && document.activeElement !== link)) return;
  away();
  shown = link;
  const box = make("div", { id: "peek", role: "tooltip" }, make("strong", {}, said.title), make("p", {}, said.words));
  $("main").append(box);
  link.setAttribute("aria-describedby", "peek");
  const place = link.getBoundingClientRect();
  const left = Math.min(place.left, document.documentElement.clientWidth - box.offsetWidth - 8);
  const below = place.bottom + box.offsetHeight + 8 < innerHeight;
  box.style.left = `${Math.max(left, 8) + scrollX}px`;
  box.style.top = `${(below ? place.bottom : place.top - box.offsetHeight) + scrollY}px`;
};

// It stays while the pointer is on it or on its link, and Escape takes it away.
const wanted = (event) => event.target.closest?.("#peek") ?? event.target.closest?.("main a[href]");
if (site && number) {
  document.addEventListener("pointerover", (event) => {
    clearTimeout(soon);
    const link = wanted(event);
    if (link?.id === "peek") return;
    soon = setTimeout(() => (link ? glance(link) : document.activeElement !== shown && away()), 300);
  });
  document.addEventListener("focusin", (event) => {
    away();
    const link = event.target.matches("main a[href]") && event.target.matches(":focus-visible") ? event.target : null;
    if (link) soon = setTimeout(() => glance(link), 300);
  });
  document.addEventListener("focusout", away);
  document.addEventListener("keydown", (event) => event.key === "Escape" && away());
}
