// Questions to the server. All addresses are relative: the token is a part of the page's own.

export class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(`api/${path}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "the server does not answer; start `ibgn explore` again: what was kept is in its journal");
  }
  const answer = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Refused(response.status, answer.error ?? response.statusText);
  return answer;
}

export const get = (path, signal) => ask(path, { signal });

export const post = (path, given = {}, signal) => ask(path, {
  method: "POST", signal, headers: { "content-type": "application/json" }, body: JSON.stringify(given),
});

export const query = (path, given) => `${path}?${new URLSearchParams(given)}`;

/**
 * News from the server: what other pages change, how far learning is, a live posterior. What came before is not told, so `open` asks.
 * A page out of sight has no connection: browsers allow six to a server, and each page that listens takes one.
 */
export function listen(open, lost, handlers) {
  let source = null;
  const follow = () => {
    source?.close();
    source = document.hidden ? null : new EventSource("api/events");
    source?.addEventListener("open", open);
    source?.addEventListener("error", lost);
    for (const [kind, handler] of Object.entries(handlers)) {
      source?.addEventListener(kind, (event) => handler(JSON.parse(event.data)));
    }
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

/** The name of this tab, by which it undoes its own changes and not those of others. */
export const page = (() => {
  const known = sessionStorage.getItem("page");
  if (known) return known;
  const made = crypto.randomUUID();
  sessionStorage.setItem("page", made);
  return made;
})();
