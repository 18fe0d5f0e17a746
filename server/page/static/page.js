// The script of AgentFlow's pages: search that follows the keys, changes of
// facts, what happens meanwhile, and the keyboard. Text from memory is never
// made into HTML here; fragments come escaped from the server.
"use strict";

document.documentElement.classList.add("script");
const $ = (id) => document.getElementById(id);
const part = $("part");
const repository = document.body.dataset.repository;

// place is the address of a page or a route, for the repository that is shown.
function place(path, values = {}) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  url.searchParams.set("repository", repository);
  return url;
}

// say tells those who do not see the page what became of it.
function say(text) { $("said").textContent = text; }

// fragment is the part of a page that changes, as the server writes it.
async function fragment(url, values = {}) {
  const asked = new URL(url, location.origin);
  asked.searchParams.set("part", "1");
  for (const [name, value] of Object.entries(values)) asked.searchParams.set(name, value);
  const answer = await fetch(asked, { headers: { Accept: "text/html" } });
  if (answer.status === 401) throw new Error("This page was opened by a server that ended. Open a new link: agentflow serve --link");
  return answer.text();
}

// show puts the part of a page in the place of the one that stands. Of several
// requests only the newest is shown, and one waits for the other.
let asking = false, waiting = null;
async function show(url, quietly) {
  if (asking) { waiting = [url, quietly]; return; }
  asking = true;
  try {
    const text = await fragment(url, quietly ? {} : { typing: "1" });
    if (!waiting) put(text, quietly);
  } catch (err) {
    tell(err.message);
  }
  asking = false;
  if (waiting) { const next = waiting; waiting = null; await show(...next); }
}

// put leaves the keyboard where it was: on the same link or button of the same
// row.
function put(text, quietly) {
  const held = part.contains(document.activeElement) ? document.activeElement : null;
  const way = held && wayTo(held);
  part.innerHTML = text;
  if (way) { const back = part.querySelector(way); if (back) back.focus({ preventScroll: true }); }
  const said = part.querySelector("[data-say]");
  if (said && !quietly) say(said.dataset.say);
  load();
}

function wayTo(element) {
  const row = element.closest("[data-fact]");
  const within = row ? `[data-fact="${CSS.escape(row.dataset.fact)}"] ` : "";
  if (element.dataset.do) return within + (/pin/.test(element.dataset.do) ? '[data-do$="pin"]' : `[data-do="${element.dataset.do}"]`);
  return element.hasAttribute("href") ? within + `a[href="${CSS.escape(element.getAttribute("href"))}"]` : "";
}

const again = () => show(new URL(location.href), true);

// load fills in what a page leaves for later, as it takes long to find.
async function load() {
  for (const at of document.querySelectorAll("[data-load]")) {
    const url = at.dataset.load;
    at.removeAttribute("data-load");
    at.setAttribute("aria-busy", "true");
    try { at.innerHTML = await fragment(url); } catch (err) { tell(err.message); }
    at.removeAttribute("aria-busy");
  }
}
load();

for (const form of document.querySelectorAll("form[data-follow]")) {
  const follow = () => {
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (value !== "") url.searchParams.set(name, value);
    }
    history.replaceState(null, "", url);
    show(url);
  };
  form.addEventListener("input", follow);
  form.addEventListener("submit", (event) => { event.preventDefault(); follow(); });
}

// ask sends a change to the API. A refusal is an Error with the server's words.
async function ask(method, path, body) {
  const request = { method, headers: {} };
  if (method !== "GET" && method !== "DELETE") {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body || {});
  }
  const answer = await fetch(place("/api/v1" + path), request);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error.message + (value.error.hint ? " (" + value.error.hint + ")" : ""));
  return value;
}

// tell shows a sentence for a while, with a way back where there is one.
let toastTimer;
function tell(text, undo) {
  $("toast-text").textContent = text;
  $("toast-undo").hidden = !undo;
  $("toast-undo").onclick = undo || null;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("toast").hidden = true; $("toast-undo").hidden = true; }, undo ? 20000 : 6000);
}

const fact = (id) => "/memory/facts/" + encodeURIComponent(id);
const doings = {
  async delete(id, button) {
    const gone = await ask("DELETE", fact(id));
    const ids = gone.forgotten.length ? gone.forgotten : [id];
    const row = button.closest("[data-fact]");
    row.classList.add("gone");
    for (const b of row.querySelectorAll("button")) b.disabled = true;
    tell(gone.hidden.length ? "It is hidden here; who shares it keeps it." : "The fact is forgotten.", async () => {
      try {
        await ask("POST", fact(ids.includes(id) ? id : ids[0]) + "/restore");
        tell("It is back.");
        await again();
      } catch (err) { tell(err.message); }
    });
    $("toast-undo").focus();
  },
  async accept(id) { await ask("POST", "/review/" + encodeURIComponent(id) + "/accept"); tell("Accepted."); await again(); },
  reword(id, button) {
    write("Accept it in other words", button.closest("[data-fact]").querySelector(".text").textContent, false, async (text) => {
      await ask("POST", "/review/" + encodeURIComponent(id) + "/accept", { text });
      return "Accepted.";
    });
  },
  async drop(id) {
    const done = await ask("POST", "/review/" + encodeURIComponent(id) + "/drop");
    tell(done.fact ? "The fact is forgotten." : "Dropped: it does not come back.", done.fact && (async () => {
      try {
        await ask("POST", fact(done.fact) + "/restore");
        tell("It is back.");
        await again();
      } catch (err) { tell(err.message); }
    }));
    await again();
  },
  async pin(id) { await ask("POST", fact(id) + "/pin"); tell("Pinned: it does not age."); await again(); },
  async unpin(id) { await ask("POST", fact(id) + "/unpin"); tell("It ages again."); await again(); },
  async edit(id) { edit(id, await ask("GET", fact(id))); },
  async sync() { await ask("POST", "/sync"); tell("The index is up to date."); await again(); },
  async useless(_, button) {
    await ask("POST", "/entries/" + encodeURIComponent(button.dataset.entry) + "/recalled/" + button.dataset.number + "/useless");
    const done = document.createElement("span");
    done.className = "tag";
    done.textContent = "was of no use";
    button.replaceWith(done);
    tell("Noted: it ranks lower for such tasks.");
  },
};

// A button that works keeps the keyboard, so it is not disabled meanwhile.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-do]");
  if (!button || button.ariaBusy === "true") return;
  const about = button.closest("[data-id]");
  button.ariaBusy = "true";
  try {
    await doings[button.dataset.do](about && about.dataset.id, button);
  } catch (err) {
    tell(err.message);
  }
  button.ariaBusy = null;
});

// write opens the dialog on a text, with the fields of a fact or without. save does what the
// person wants, and returns what to say.
function write(title, text, fields, save) {
  $("edit-title").textContent = title;
  $("edit-text").value = text;
  $("edit-fields").hidden = !fields;
  $("edit-problem").textContent = "";
  $("edit").showModal();
  $("edit-cancel").onclick = () => $("edit").close();
  $("edit-form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      const said = await save($("edit-text").value);
      $("edit").close();
      tell(said);
      await again();
    } catch (err) {
      $("edit-problem").textContent = err.message;
    }
  };
}

function edit(id, now) {
  $("edit-type").value = now.type || "semantic";
  $("edit-importance").value = now.importance;
  $("edit-key").value = now.key || "";
  $("edit-tags").value = (now.tags || []).join(" ");
  write("Edit the fact", now.text, true, async (text) => {
    const change = {};
    const tags = $("edit-tags").value.split(/\s+/).filter(Boolean);
    if (text !== now.text) change.text = text;
    if ($("edit-type").value !== (now.type || "semantic")) change.type = $("edit-type").value;
    if (Number($("edit-importance").value) !== now.importance) change.importance = Number($("edit-importance").value);
    if ($("edit-key").value !== (now.key || "")) change.key = $("edit-key").value;
    if (tags.join(" ") !== (now.tags || []).join(" ")) change.tags = tags;
    if (Object.keys(change).length) await ask("PATCH", fact(id), change);
    return "Saved.";
  });
}

// What happens meanwhile. A hidden page closes its stream: a browser keeps few
// connections to one host.
const live = $("live");
async function showLive() {
  if (live) live.innerHTML = await fragment(live.dataset.live);
}

let stream, later;
const afresh = { timeline: true, facts: true, contradictions: true, review: true, health: true };
function refresh() {
  if (!afresh[document.body.dataset.view] || new URL(location.href).searchParams.has("cursor")) return;
  clearTimeout(later);
  later = setTimeout(() => { if (!$("edit").open && $("toast-undo").hidden) again(); }, 300);
}
function progress(run) {
  for (const row of document.querySelectorAll("[data-run]")) {
    if (row.dataset.run !== run.id) continue;
    row.querySelector("[data-doing]").textContent = run.doing;
    row.querySelector("[data-sum]").textContent = (run.turns ? run.turns + (run.turns === 1 ? " turn" : " turns") : "") + (run.cost_usd ? " $" + run.cost_usd.toFixed(2) : "");
  }
}
function listen() {
  stream = new EventSource(place("/api/v1/events"));
  const on = (name, hear) => stream.addEventListener(name, (event) => hear(JSON.parse(event.data)));
  on("memoryStored", (event) => {
    if ($("toast-undo").hidden) tell(event.fact ? "Remembered: " + event.fact.text.slice(0, 140) : event.count + " facts were remembered.");
    refresh();
  });
  on("memoryChanged", refresh);
  on("memoryForgotten", refresh);
  on("runStarted", async (event) => { await showLive(); progress(event.run); });
  on("runProgress", (event) => progress(event.run));
  on("runEnded", () => { showLive(); refresh(); });
  on("synced", () => { if (document.body.dataset.view !== "health") refresh(); });
  on("missed", () => { showLive(); refresh(); });
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stream.close(); else { listen(); showLive(); }
});
listen();

// The keyboard: / searches, j and k move, Enter opens, and letters do to a
// fact what its buttons do.
const rows = () => [...document.querySelectorAll("[data-row]")];
const current = () => document.activeElement.closest("[data-row]") || document.querySelector("[data-row][aria-current]") || document.querySelector("article[data-row]");
function move(by) {
  const list = rows();
  if (!list.length) return;
  const at = list.indexOf(current());
  const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)];
  for (const row of list) row.removeAttribute("aria-current");
  next.setAttribute("aria-current", "true");
  next.scrollIntoView({ block: "nearest" });
  const link = next.querySelector("a, button");
  if (link) link.focus({ preventScroll: true });
}
function press(...names) {
  const row = current();
  const button = row && names.map((name) => row.querySelector(`[data-do="${name}"]`)).find(Boolean);
  if (button && !button.disabled) { button.focus(); button.click(); }
}
const keys = {
  "/"() {
    const field = document.querySelector("main input[type=search]");
    if (field) { field.focus(); field.select(); } else location.assign(place("/"));
  },
  j() { move(1); },
  k() { move(-1); },
  e() { press("edit", "reword"); },
  p() { press("pin", "unpin"); },
  a() { press("accept"); },
  d() { press("delete", "drop"); },
  u() { if (!$("toast-undo").hidden) $("toast-undo").click(); },
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("edit").open) return;
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "Escape" && typing) event.target.blur();
  if (event.key === "ArrowDown" && event.target.matches("input[type=search]")) { event.preventDefault(); move(1); }
  if (typing || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
