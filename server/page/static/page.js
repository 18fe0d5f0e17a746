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

function say(text) { $("said").textContent = text; }

// show puts the part of a page in the place of the one that stands. Of several
// requests only the newest is shown, and one waits for the other.
let asking = null, waiting = null;
async function show(url, quietly) {
  if (asking) { waiting = [url, quietly]; return; }
  asking = url;
  try {
    const fragment = new URL(url);
    fragment.searchParams.set("part", "1");
    if (!quietly) fragment.searchParams.set("typing", "1");
    const answer = await fetch(fragment, { headers: { Accept: "text/html" } });
    if (answer.status === 401) throw new Error("This page was opened by a server that ended. Open a new link: agentflow serve --link");
    const text = await answer.text();
    if (!waiting) {
      part.innerHTML = text;
      part.dataset.shown = url.search;
      const said = part.querySelector("[data-say]");
      if (said && !quietly) say(said.dataset.say);
    }
  } catch (err) {
    tell(err.message);
  }
  asking = null;
  if (waiting) { const next = waiting; waiting = null; show(...next); }
}

const again = () => show(new URL(location.href), true);

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

let toastTimer;
function tell(text, undo) {
  $("toast-text").textContent = text;
  $("toast-undo").hidden = !undo;
  $("toast-undo").onclick = undo || null;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("toast").hidden = true; }, undo ? 20000 : 6000);
}

const fact = (id) => "/memory/facts/" + encodeURIComponent(id);
const doings = {
  async delete(id, button) {
    const gone = await ask("DELETE", fact(id));
    const ids = gone.forgotten.length ? gone.forgotten : [id];
    const card = button.closest("[data-fact]");
    card.classList.add("gone");
    for (const b of card.querySelectorAll("button")) b.disabled = true;
    tell("The fact is forgotten.", async () => {
      try {
        await ask("POST", fact(ids.includes(id) ? id : ids[0]) + "/restore");
        tell("It is back.");
        await again();
      } catch (err) { tell(err.message); }
    });
    $("toast-undo").focus();
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

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-do]");
  if (!button) return;
  const about = button.closest("[data-id]");
  button.disabled = true;
  try {
    await doings[button.dataset.do](about && about.dataset.id, button);
  } catch (err) {
    tell(err.message);
  }
  if (!button.closest(".gone")) button.disabled = false;
});

function edit(id, now) {
  $("edit-text").value = now.text;
  $("edit-type").value = now.type || "semantic";
  $("edit-importance").value = now.importance;
  $("edit-key").value = now.key || "";
  $("edit-tags").value = (now.tags || []).join(" ");
  $("edit-problem").textContent = "";
  $("edit").showModal();
  $("edit-cancel").onclick = () => $("edit").close();
  $("edit-form").onsubmit = async (event) => {
    event.preventDefault();
    const change = {};
    const tags = $("edit-tags").value.split(/\s+/).filter(Boolean);
    if ($("edit-text").value !== now.text) change.text = $("edit-text").value;
    if ($("edit-type").value !== (now.type || "semantic")) change.type = $("edit-type").value;
    if (Number($("edit-importance").value) !== now.importance) change.importance = Number($("edit-importance").value);
    if ($("edit-key").value !== (now.key || "")) change.key = $("edit-key").value;
    if (tags.join(" ") !== (now.tags || []).join(" ")) change.tags = tags;
    try {
      if (Object.keys(change).length) await ask("PATCH", fact(id), change);
      $("edit").close();
      tell("Saved.");
      await again();
    } catch (err) {
      $("edit-problem").textContent = err.message;
    }
  };
}

// What happens meanwhile. A hidden page closes its stream: a browser keeps few
// connections to one host.
const live = $("live");
async function showLive() {
  if (!live) return;
  const answer = await fetch(live.dataset.load);
  if (answer.ok) live.innerHTML = await answer.text();
}

let stream, later;
const afresh = { timeline: true, facts: true, health: true };
function refresh() {
  if (!afresh[document.body.dataset.view] || new URL(location.href).searchParams.has("cursor")) return;
  clearTimeout(later);
  later = setTimeout(() => { if (!$("edit").open && $("toast-undo").hidden) again(); }, 300);
}
function listen() {
  stream = new EventSource(place("/api/v1/events"));
  const on = (name, hear) => stream.addEventListener(name, (event) => hear(JSON.parse(event.data)));
  on("memoryStored", (event) => { if (event.fact) tell("Remembered: " + event.fact.text.slice(0, 140)); refresh(); });
  on("runStarted", () => showLive());
  on("runProgress", (event) => {
    for (const at of document.querySelectorAll("[data-progress]")) {
      if (at.dataset.progress === event.run.id) at.textContent = event.run.doing.slice(0, 80);
    }
  });
  on("runEnded", () => { showLive(); refresh(); });
  on("synced", () => { if (document.body.dataset.view !== "health") refresh(); });
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stream.close(); else { listen(); showLive(); }
});
listen();
showLive();

// The keyboard: / searches, j and k move, Enter opens.
function move(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.hasAttribute("aria-current"));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (at >= 0) rows[at].removeAttribute("aria-current");
  next.setAttribute("aria-current", "true");
  next.scrollIntoView({ block: "nearest" });
  const link = next.querySelector("a");
  if (link) link.focus({ preventScroll: true });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("edit").open) return;
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "Escape" && typing) event.target.blur();
  if (event.key === "ArrowDown" && event.target.matches("input[type=search]")) { event.preventDefault(); move(1); }
  if (typing) return;
  if (event.key === "/") {
    event.preventDefault();
    const field = document.querySelector("main input[type=search]");
    if (field) { field.focus(); field.select(); } else location.assign(place("/"));
  }
  if (event.key === "j") move(1);
  if (event.key === "k") move(-1);
});
