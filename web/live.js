// live.js: polls the server once a second, with the etag of the last answer; the token of the link.
const TOKEN = "pitwall-token";

export function takeToken() {
    const given = new URLSearchParams(location.hash.slice(1));
    const token = given.get("token");
    if (!token) return;
    sessionStorage.setItem(TOKEN, token);
    given.delete("token");
    const rest = given.toString();
    history.replaceState(null, "", location.pathname + location.search + (rest ? "#" + rest : ""));
}

// {data, etag}; data is null if nothing has changed.
export async function ask(path, etag) {
    const headers = {},
        token = sessionStorage.getItem(TOKEN);
    if (token) headers.Authorization = "Bearer " + token;
    if (etag) headers["If-None-Match"] = etag;
    const answer = await fetch(path, {headers, cache: "no-store", credentials: "omit"});
    if (answer.status === 304) return {data: null, etag};
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), {status: answer.status});
    return {data: await answer.json(), etag: answer.headers.get("ETag")};
}

// Why there is no answer, in a sentence.
export function words(error) {
    if (error.status === 401) return "The server requires its token: open the link that pitwall serve printed.";
    if (error.status === 404 || error.status === 410)
        return "This run is gone: its file was deleted, or is no longer served.";
    return error.status
        ? "The server says " + error.status + ": " + error.message
        : "The server does not answer; these are its last data.";
}

// Calls act(data) for each answer and fail(error) on errors, once a second while the page is
// visible. act returns false to stop. Returns a function that stops the polling.
export function poll(pathOf, act, fail) {
    let ended = false,
        etag = null,
        timer = 0,
        busy = false;
    async function look() {
        clearTimeout(timer);
        if (ended || document.hidden || busy) return;
        busy = true;
        try {
            const answer = await ask(pathOf(), etag);
            etag = answer.etag;
            if (!ended && act(answer.data) === false) ended = true;
        } catch (error) {
            if (!ended && fail(error) === false) ended = true;
        }
        busy = false;
        if (!ended) timer = setTimeout(look, 1000);
    }
    document.addEventListener("visibilitychange", look);
    look();
    return () => {
        ended = true;
        clearTimeout(timer);
        document.removeEventListener("visibilitychange", look);
    };
}
