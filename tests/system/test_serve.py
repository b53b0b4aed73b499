"""`pitwall serve`: access control, the answers, and that no request can crash it or fill its memory."""

import contextlib
import json
import os
import random
import re
import signal
import stat
import struct
import subprocess

import pit_case
from places import NOBODY, read, write
from serve_case import Case

ALL = os.environ.get("PITWALL_TEST_ALL") == "1"
MEGABYTE = 1 << 20
# libmicrohttpd holds 32 kB for each of 256 connections
SMALL = 64 * MEGABYTE * (8 if pit_case.sanitizer() else 1)

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


def patched(document, changed):
    """The document with changed parts put in: keys are JSON pointers without the first slash."""
    for path, value in changed.items():
        *way, last = [p.replace("~1", "/").replace("~0", "~") for p in path.split("/")]
        at = document
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step]
        at[int(last) if isinstance(at, list) else last] = value
    return document


# The declarations of src/cli/microhttpd.h, compared with the library's own header.
SAME_DECLARATIONS = r"""
#include "cli/microhttpd.h"

#include <microhttpd.h>

#define SAME(name_) _Static_assert((int)HTTPD_##name_ == (int)MHD_##name_, #name_)
SAME(USE_EPOLL);
SAME(OPTION_END);
SAME(OPTION_CONNECTION_MEMORY_LIMIT);
SAME(OPTION_CONNECTION_LIMIT);
SAME(OPTION_CONNECTION_TIMEOUT);
SAME(OPTION_NOTIFY_COMPLETED);
SAME(OPTION_LISTEN_SOCKET);
SAME(OPTION_NOTIFY_CONNECTION);
SAME(HEADER_KIND);
SAME(GET_ARGUMENT_KIND);
SAME(CONNECTION_NOTIFY_STARTED);
SAME(CONNECTION_INFO_CONNECTION_FD);
SAME(CONNECTION_INFO_SOCKET_CONTEXT);
SAME(DAEMON_INFO_EPOLL_FD);
SAME(YES);
SAME(NO);

/* An int stands for the library's enumerations, which are passed as one. */
_Static_assert(sizeof(enum MHD_Result) == sizeof(int) && sizeof(enum MHD_ValueKind) == sizeof(int),
               "enumerations are ints");
_Static_assert(offsetof(union MHD_ConnectionInfo, connect_fd) == 0 &&
                   offsetof(union MHD_ConnectionInfo, socket_context) == 0 &&
                   offsetof(union MHD_DaemonInfo, epoll_fd) == 0,
               "members of unions");
"""


class WhoMayAsk(Case):
    def test_the_link_carries_the_token_and_without_it_nothing_of_a_run_is_told(self):
        folder = self.folder()
        self.made(os.path.join(folder, "a.pit"), "nodes=3", "close")
        server = self.serve(folder)
        self.assertEqual(server.told["link"], server.told["url"] + "#token=" + server.token)
        self.assertGreaterEqual(len(server.token), 32)
        run = server.id_of("a.pit")
        guarded = ["/metrics", "/api/v1/runs", "/api/v1/runs/" + run,
                   "/api/v1/runs/%s/live" % run, "/api/v1/runs/%s/series?node=node-0" % run,
                   "/api/v1/runs/%s/report.html" % run, "/api/v1/runs/%s/export/json" % run,
                   "/api/v1/runs/" + "0" * 32, "/nowhere"]
        for path in guarded:
            with self.subTest(path):
                for wrong in (None, "", "x", server.token[:-1], server.token + "x",
                              server.token.upper() + "X"):
                    status, headers, body = server.ask(path, token=wrong)
                    self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
                    self.assertNotIn(run.encode(), body)
                for other in ("Basic " + server.token, server.token, "bearer"):
                    self.assertEqual(server.status(path, token=None,
                                                   headers={"Authorization": other}), 401)
                self.assertIn(server.status(path), (200, 404))
        for path in ("/", "/healthz", "/assets/style.css"):
            self.assertEqual(server.status(path, token=None), 200, path)
        self.assertEqual(server.end(), 0)

    def test_only_known_hosts_are_answered(self):
        server = self.serve(self.folder(), "--allow-host", "pit.example", "--no-token")
        port = server.port
        for host in ("localhost", "LOCALHOST", "localhost:%d" % port, "127.0.0.1", "[::1]:80",
                     "127.0.0.1:%d" % port, "pit.example", "Pit.Example:8080"):
            self.assertEqual(server.status("/healthz", headers={"Host": host}), 200, host)
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                     "evil-localhost", "xlocalhost", "localhostx", "localhost.", "127.0.0.1.",
                     "127.0.0.2", "127.1", "2130706433", "0x7f.0.0.1", "0.0.0.0", "[::]", "::1",
                     "[::1", "[::1]x", "[::1].evil.example", "localhost:", "localhost:x",
                     "localhost:80:80", "localhost:123456", "localhost@evil.example",
                     "localhost/evil.example", "localhost evil.example", "pit.example.evil",
                     "xpit.example", "", "localhost\\", "localhost%00", "ｌocalhost".encode().decode("latin-1")):
            for path in ("/", "/healthz", "/api/v1/runs", "/metrics"):
                self.assertEqual(server.status(path, headers={"Host": host}), 403, (host, path))
        self.assertIn(b" 4", server.raw(b"GET /healthz HTTP/1.1\r\n\r\n")[:14])
        self.assertIn(b" 403 ", server.raw(b"GET /healthz HTTP/1.0\r\n\r\n")[:14])
        for first, second in ((b"localhost", b"evil.example"), (b"evil.example", b"localhost"), (b"localhost", b"localhost")):
            self.assertIn(b" 403 ", server.raw(b"GET /healthz HTTP/1.1\r\nHost: %s\r\nhost: %s\r\nConnection: close\r\n\r\n"
                                               % (first, second))[:14])

    def test_methods_other_than_get_and_head_are_refused(self):
        server = self.serve(self.folder())
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND",
                       "get", "X"):
            for path in ("/", "/api/v1/runs", "/nowhere"):
                status, headers, _ = server.ask(path, method=method)
                self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"), (method, path))
                self.assertIsNone(headers["Access-Control-Allow-Origin"])
        back = server.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx")
        self.assertIn(b" 405 ", back[:14])
        status, headers, body = server.ask("/healthz", method="HEAD")
        self.assertEqual((status, headers["Content-Length"], body), (200, "3", b""))
        # a body, which GET does not need, is skipped
        back = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                          b"Content-Length: 5\r\n\r\nhello")
        self.assertTrue(back.endswith(b"ok\n"), back)

    def test_every_answer_has_the_headers_that_keep_a_browser_careful(self):
        server = self.serve(self.folder())
        asked = [server.ask("/"), server.ask("/healthz"), server.ask("/api/v1/runs"),
                 server.ask("/nowhere"), server.ask("/metrics", token=None),
                 server.ask("/", method="POST"), server.ask("/", headers={"Host": "evil"})]
        self.assertEqual([a[0] for a in asked], [200, 200, 200, 404, 401, 405, 403])
        for status, headers, _ in asked:
            for name, value in HEADERS.items():
                self.assertEqual(headers[name], value, (status, name))
            policy = dict(p.strip().split(" ", 1) for p in
                          headers["Content-Security-Policy"].split(";"))
            self.assertEqual(policy["default-src"], "'none'")
            self.assertEqual(policy["frame-ancestors"], "'none'")
            self.assertEqual(policy["script-src"], "'self'")
            self.assertFalse([h for h in headers if h.lower().startswith("access-control")])

    def test_a_browser_is_opened_without_the_token_in_its_arguments(self):
        folder = self.folder()
        browser, told = os.path.join(folder, "browser"), os.path.join(folder, "told")
        write(browser, b"#!/bin/sh\nprintf '%%s\\n' \"$@\" >%s.new && mv %s.new %s\n" % ((told.encode(),) * 3))
        os.chmod(browser, 0o700)
        server = self.serve("--open", folder, env=pit_case.clean_env(BROWSER=browser, XDG_RUNTIME_DIR=folder))
        self.wait_file(told)
        page, = read(told).decode().splitlines()
        self.assertNotIn(server.token, page)
        self.assertEqual(stat.S_IMODE(os.stat(page).st_mode), 0o600)
        self.assertIn('url=%s"' % server.told["link"], read(page).decode())
        self.assertEqual(server.end(), 0)
        self.assertFalse(os.path.exists(page))

    def test_a_signal_before_the_server_waits_leaves_no_file_behind(self):
        """The server is held at its first line of output by a pipe that is full."""
        folder = self.folder()
        path = os.path.join(folder, "socket")
        out, into = os.pipe()
        os.set_blocking(into, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(into, bytes(4096))
        os.set_blocking(into, True)
        child = self.start([pit_case.tool(), "serve", folder, "--listen", "unix:" + path], stdout=into)
        os.close(into)
        self.wait_file(path)
        child.send_signal(signal.SIGINT)
        with open(out, "rb") as pipe:
            self.assertIn(b"unix:" + path.encode(), pipe.read().strip(b"\0"))
        self.assertEqual(child.wait(), 0)
        self.assertFalse(os.path.exists(path))

    def test_token_file_is_made_for_its_owner_alone_and_refused_otherwise(self):
        folder, own = self.folder(), os.path.join(self.folder(), "token")
        server = self.serve(folder, "--token-file", own)
        self.assertEqual(stat.S_IMODE(os.stat(own).st_mode), 0o600)
        self.assertEqual(read(own).decode().strip(), server.token)
        self.assertEqual(self.serve(folder, "--token-file", own).token, server.token)

        def refused(why):
            done = self.run_status(66, [pit_case.tool(), "serve", folder, "--token-file", own])
            self.assertIn(why, done.stderr)
            self.assertEqual(done.stdout, "")

        os.chmod(own, 0o640)
        refused("other users can read or change it")
        os.chmod(own, 0o600)
        for bad in (b"", b"short", b"with a blank in it, and long", b"x" * 20 + b"\xff"):
            write(own, bad)
            refused("its first line must be")
        link = own + ".link"
        os.symlink(own, link)
        done = self.run_status(66, [pit_case.tool(), "serve", folder, "--token-file", link])
        self.assertIn(link, done.stderr)


class WhatIsAnswered(Case):
    def test_no_path_leads_to_a_file(self):
        folder = self.folder()
        write(os.path.join(folder, "secret.txt"), b"a-secret")
        self.made(os.path.join(folder, "a.pit"), "nodes=1", "close")
        server = self.serve(folder)
        run = server.id_of("a.pit")
        below = "/api/v1/runs/" + run
        paths = ["/secret.txt", "/a.pit", "/../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd",
                 "/..%2fsecret.txt", "/assets/../secret.txt", "/assets/%2e%2e/%2e%2e/etc/passwd",
                 "/assets/", "/assets/.", "/assets/..", "/assets/.htaccess", "/assets/a/b",
                 "/assets/%00", "/assets/" + "x" * 5000, "/api/v1/runs/", "/api/v1/runs/a.pit",
                 "/api/v1/runs/../../../etc/passwd", "/api/v1/runs/%2e%2e%2fsecret.txt",
                 "/api/v1/runs/" + run[:-1], "/api/v1/runs/" + run + "0", below + "/",
                 "/api/v1/runs/" + run.upper() if run.upper() != run else "/x", below + "/../x",
                 below + "/export/", below + "/export/../../secret.txt", below + "/export/nothing",
                 below + "/export/%2fetc%2fpasswd", below + "/live/x", "/api/v1", "/api/v2/runs",
                 "/Metrics", "/metrics/", "/healthz/x", below + "/series?node=../secret"]
        for path in paths:
            status, _, body = server.ask(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"a-secret", body)
            self.assertNotIn(b"root:", body)

    def test_a_run_in_every_form(self):
        folder = self.folder()
        path = self.made(os.path.join(folder, "a.pit"), "nodes=5", "spans=step:20", "close")
        server = self.serve(folder)
        run = server.id_of("a.pit")
        document = server.json("/api/v1/runs/" + run)
        self.assertEqual(document["kind"], "run")
        self.assertIn("step", document["nodes"]["columns"]["name"])
        status, headers, body = server.ask("/api/v1/runs/%s/export/json" % run)
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Disposition"], 'attachment; filename="%s.json"' % run)
        # except for the path as it was given, it equals the output of the tool
        exported = self.run_ok([pit_case.tool(), "export", path, "--format", "json"]).stdout
        self.assertEqual(json.loads(body)["nodes"], json.loads(exported)["nodes"])
        status, headers, body = server.ask("/api/v1/runs/%s/report.html" % run)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("attachment", headers["Content-Disposition"])
        self.assertTrue(body.lower().startswith(b"<!doctype html>"))
        series = server.json("/api/v1/runs/%s/series?node=step" % run)
        counts = series["count"]
        counts = [counts["all"]] * series["length"] if isinstance(counts, dict) else counts
        self.assertEqual(sum(counts), 20)

    def test_the_same_answer_is_not_sent_twice(self):
        folder = self.folder()
        self.made(os.path.join(folder, "a.pit"), "nodes=5", "close")
        server = self.serve(folder)
        for path in ("/", "/assets/style.css", "/api/v1/runs/" + server.id_of("a.pit")):
            _, headers, body = server.ask(path)
            self.assertTrue(body)
            again = server.ask(path, headers={"If-None-Match": headers["ETag"]})
            self.assertEqual((again[0], again[2]), (304, b""), path)
            self.assertEqual(server.ask(path, headers={"If-None-Match": '"x"'})[2], body)

    def test_runs_appear_end_die_and_are_deleted(self):
        first, second = self.folder(), self.folder()
        server = self.serve("--refresh", "0", first, second)
        self.assertEqual(server.states(), {})
        dead = self.live(os.path.join(first, "dead.pit"), "nodes=2", "begin=work")
        ends = os.path.join(self.folder(), "end")
        done = self.start_place("open=" + os.path.join(second, "done.pit"), "nodes=2",
                                "ready=" + ends + ".ready", "until=" + ends, "close")
        self.wait_file(ends + ".ready", done)
        self.assertEqual(server.states(), {"dead.pit": "live", "done.pit": "live"})
        before = server.runs()
        self.assertEqual(before["run_count"], 2)
        self.kill(dead)
        write(ends)
        self.assertEqual(done.wait(timeout=300), 0)
        self.assertEqual(server.states(), {"dead.pit": "died", "done.pit": "done"})
        runs = server.runs()["runs"]
        self.assertEqual((runs["state"][0], runs["need"][0]), ("died", "died"),
                         "what needs a look comes first")
        changed = server.runs(before["v"])
        self.assertFalse(changed["all"])
        self.assertEqual(sorted(changed["runs"]["state"]), ["died", "done"])
        now = changed["v"]
        os.remove(os.path.join(second, "done.pit"))
        changed = server.runs(now)
        self.assertEqual(changed["gone"], [i for i, s in zip(runs["id"], runs["state"])
                                           if s == "done"])
        self.assertEqual(changed["runs"]["id"], [])
        self.assertEqual(server.states(), {"dead.pit": "died"})
        self.assertEqual(server.status("/api/v1/runs/" + changed["gone"][0]), 404)
        for strange in ("x", "0-1", now + "0", now.split("-")[0] + "-99999999999999999999", ""):
            self.assertTrue(server.runs(strange)["all"], strange)

    def test_a_watcher_gets_what_changed_until_the_end(self):
        folder = self.folder()
        told = os.path.join(folder, "told")
        child = self.start_place("open=" + os.path.join(folder, "a.pit"), "count=" + told,
                                 stdout=None)
        self.wait_file(told, child)
        server = self.serve("--refresh", "0", folder)
        self.wait_until("for the run", lambda: "a.pit" in server.states())
        live = "/api/v1/runs/%s/live" % server.id_of("a.pit")
        answer = server.json(live)
        self.assertTrue(answer["all"])
        document = answer["document"]
        advised = document["summary"]["advice_wall_ns"]
        self.assertEqual(advised, document["summary"]["wall_ns"], "advice of all of it")
        # A live run reaches to the moment it is read, a dead one to its last span: that must be a later one.
        before = struct.unpack("3Q", read(told))
        self.wait_until("for spans", lambda: all(now > then + 1 for now, then in
                                                 zip(struct.unpack("3Q", read(told)), before)))
        small = 0
        for _ in range(5):
            answer = server.json(live + "?since=" + answer["v"])
            if answer["all"]:
                document = answer["document"]
            else:
                small += 1
                patched(document, answer["changed"])
                self.assertNotIn("kind", answer["changed"])
        self.kill(child)
        self.wait_until("for its death", lambda: server.states() == {"a.pit": "died"})
        answer = server.json(live + "?since=" + answer["v"])
        if answer["all"]:
            document = answer["document"]
        else:
            patched(document, answer["changed"])
        self.assertEqual(document, server.json(live.replace("/live", "")))
        self.assertEqual(document["runs"][0]["state"], "died")
        self.assertGreater(document["summary"]["wall_ns"], advised)
        self.assertEqual(document["summary"]["advice_wall_ns"], document["summary"]["wall_ns"], "again of all of it")
        again = server.json(live + "?since=" + answer["v"])
        self.assertEqual((again["all"], again["changed"]), (False, {}))
        self.assertTrue(server.json(live + "?since=other-1")["all"])

    def test_the_ranks_of_a_job_are_one_document(self):
        folder = self.folder()
        for rank in (1, 0):
            self.run_ok([pit_case.program("prog_sub_runs"), "open",
                         os.path.join(folder, "%d.pit" % rank)],
                        env=pit_case.clean_env(SLURM_JOB_ID="77", SLURM_PROCID=rank,
                                               SLURM_NTASKS=2))
        self.made(os.path.join(folder, "alone.pit"), "nodes=1", "close")
        server = self.serve(folder)
        runs = server.runs()["runs"]
        ranks = {os.path.basename(p): (j is not None, r)
                 for p, j, r in zip(runs["path"], runs["job"], runs["rank"])}
        self.assertEqual(ranks, {"0.pit": (True, "0"), "1.pit": (True, "1"),
                                 "alone.pit": (False, None)})
        one = "/api/v1/runs/" + server.id_of("1.pit")
        self.assertEqual(len(server.json(one)["runs"]), 1)
        both = server.json(one + "?ranks=all")["runs"]
        self.assertEqual([run["facts"]["rank"] for run in both], ["0", "1"])
        self.assertEqual(server.json(one + "/live?ranks=all")["document"]["runs"], both)
        alone = server.json("/api/v1/runs/%s?ranks=all" % server.id_of("alone.pit"))
        self.assertEqual(len(alone["runs"]), 1)

    def test_two_runs_or_groups_are_compared(self):
        folder = self.folder()
        for name in "abc":
            self.made(os.path.join(folder, name + ".pit"), "spans=step:20", "close")
        server = self.serve(folder)
        a, b, c = (server.id_of(name + ".pit") for name in "abc")
        found = server.json("/api/v1/compare?a=%s&b=%s" % (a, b))
        self.assertEqual([side["runs"] for side in found["sides"]], [1, 1])
        self.assertEqual(found["sides"][0]["name"], os.path.join(folder, "a.pit"))
        found = server.json("/api/v1/compare?a=%s,%s&b=%s" % (a, b, c))
        self.assertEqual([side["runs"] for side in found["sides"]], [2, 1])
        for query in ("", "?a=" + a, "?a=%s&b=" % a, "?a=%s&b=%s0" % (a, b), "?a=%s,&b=%s" % (a, b),
                      "?a=%s&b=%s" % (a, "0" * 32), "?a=%s&b=../x" % a,
                      "?a=%s&b=%s" % (",".join([a] * 100), b)):
            self.assertEqual(server.status("/api/v1/compare" + query), 404, query)

    def test_headlines_come_after_the_list(self):
        folder = self.folder()
        self.made(os.path.join(folder, "a.pit"), "nodes=5", "close")
        server = self.serve(folder)
        self.wait_until("for a headline", lambda: server.runs()["runs"]["headline"][0])

    def test_the_headline_of_a_run_that_died_says_where(self):
        folder = self.folder()
        self.made(os.path.join(folder, "a.pit"), "nodes=2", "begin=outer", "begin=in\u202ener", "kill", status=-9)
        server = self.serve(folder)
        self.wait_until("for a headline", lambda: server.runs()["runs"]["headline"][0])
        headline = server.runs()["runs"]["headline"][0]
        self.assertTrue(headline.startswith("DIED inside in\\u202ener: "), headline)

    def test_a_worker_that_its_parent_ended_has_not_died(self):
        folder = self.folder()
        program = [pit_case.program("prog_sub_runs"), "workers", os.path.join(folder, "parent.pit")]
        parent = self.start(program, stdin=subprocess.PIPE)
        self.assertEqual(parent.stdout.readline(), b"ready\n")
        server = self.serve("--refresh", "0", folder)

        def told():
            """State of each run in the list, its need, and its state in the run's document and in /metrics."""
            runs = server.runs()["runs"]
            lines = re.findall(r'pitwall_run_state\{run="(\w+)",state="(\w+)"\} 1', server.ask("/metrics")[2].decode())
            found = {}
            for id_, state, need in zip(runs["id"], runs["state"], runs["need"]):
                document = server.json("/api/v1/runs/" + id_)
                names = set(document["nodes"]["columns"]["name"])
                own = next(n for n in ("parent", "between", "inside") if n in names)
                found[own] = (state, need, document["runs"][0]["state"], dict(lines)[id_])
            return found

        self.assertEqual(told(), {"parent": ("live", "live", "live", "live"), "between": ("ended", "ended", "ended", "ended"),
                                  "inside": ("died", "died", "died", "died")})
        self.kill(parent)
        died = ("died",) * 4
        self.wait_until("for its death", lambda: server.states()["parent.pit"] == "died")
        self.assertEqual(told(), {"parent": died, "between": died, "inside": died})

    def test_a_job_and_its_ranks_and_sub_runs_are_told(self):
        folder = self.folder()
        path = os.path.join(folder, "a.pit")
        self.run_ok([pit_case.program("prog_sub_runs"), "fork", path])
        server = self.serve(folder)
        runs = server.runs()["runs"]
        parents = dict(zip(runs["id"], runs["parent"]))
        self.assertEqual(len(parents), 3)
        top = server.id_of("a.pit")
        self.assertIsNone(parents[top])
        self.assertEqual(sorted(p is None for p in parents.values()), [False, False, True])
        self.assertTrue(set(parents.values()) <= set(parents) | {None})

    def test_a_socket_is_its_owners_and_one_left_behind_is_replaced(self):
        folder = self.folder()
        path = os.path.join(self.folder(), "s")
        server = self.serve(folder, "--listen", "unix:" + path)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & 0o077, 0)
        self.assertEqual(server.told["link"], "unix:%s#token=%s" % (path, server.token))
        self.assertEqual(server.status("/api/v1/runs"), 200)
        self.assertEqual(server.status("/api/v1/runs", token=None), 401)
        done = self.run_status(69, [pit_case.tool(), "serve", folder, "--listen", "unix:" + path])
        self.assertIn("in use", done.stderr)
        server.child.kill()
        server.child.wait(timeout=300)
        again = self.serve(folder, "--listen", "unix:" + path)
        self.assertEqual(again.status("/healthz"), 200)
        self.assertEqual(again.end(), 0)
        self.assertFalse(os.path.exists(path))
        write(path, b"mine")  # no socket: never removed
        self.run_status(69, [pit_case.tool(), "serve", folder, "--listen", "unix:" + path])
        self.assertEqual(read(path), b"mine")


class Planted(Case):
    def test_odd_files_are_named_with_the_reason_and_harm_nothing(self):
        folder = self.folder()
        good = self.made(os.path.join(folder, "good.pit"), "nodes=3", "close")
        write(os.path.join(folder, "empty.pit"))
        write(os.path.join(folder, "text.pit"), b"no run\n" * 100)
        write(os.path.join(folder, "cut.pit"), read(good)[:2000])
        os.mkfifo(os.path.join(folder, "pipe.pit"))
        os.mkdir(os.path.join(folder, "folder.pit"))
        os.symlink("/etc/passwd", os.path.join(folder, "link.pit"))
        os.symlink("nowhere", os.path.join(folder, "nowhere.pit"))
        os.symlink("/dev/zero", os.path.join(folder, "zero.pit"))
        write(os.path.join(folder, ".hidden.pit"), read(good))
        with open(os.path.join(folder, "sparse.pit"), "wb") as file:
            file.write(read(good))
            file.truncate(1 << 40)
        server = self.serve(folder)
        document = server.runs()
        bad = {os.path.basename(p): w for p, w in
               zip(document["unreadable"]["path"], document["unreadable"]["why"])}
        self.assertEqual(set(bad) | {"sparse.pit"},
                         {"empty.pit", "text.pit", "cut.pit", "pipe.pit", "folder.pit", "link.pit",
                          "zero.pit", "sparse.pit"})
        self.assertTrue(all(bad.values()), bad)
        self.assertEqual(bad["pipe.pit"], "not a regular file")
        self.assertIn(server.runs()["run_count"], (1, 2))
        self.assertNotIn(b"root:", server.ask("/api/v1/runs")[2])
        for run in document["runs"]["id"]:
            self.assertEqual(server.status("/api/v1/runs/" + run), 200)
        self.assertEqual(server.status("/metrics"), 200)
        self.assertLess(server.memory(), SMALL)

    def test_a_damaged_run_says_so_and_never_hides_a_whole_one(self):
        folder = self.folder()
        whole = self.made(os.path.join(folder, "whole.pit"), "nodes=300", "close")
        data = read(whole)
        write(os.path.join(folder, "a-cut.pit"), data[:20000])
        other = bytearray(data)
        other[32:48] = os.urandom(16)
        write(os.path.join(folder, "other.pit"), bytes(other[:20000]))
        runs = self.serve(folder).runs()["runs"]
        notes = dict(zip(map(os.path.basename, runs["path"]), runs["note"]))
        self.assertEqual(set(notes), {"whole.pit", "other.pit"})
        self.assertIsNone(notes["whole.pit"])
        self.assertIn("missing", notes["other.pit"])

    def test_another_users_links_are_refused_and_their_copies_do_not_hide_ours(self):
        if os.geteuid() != 0:
            self.skipTest("another user's files need root")
        folder, elsewhere = self.folder(), self.folder()
        os.chmod(folder, 0o777)
        ours = self.made(os.path.join(folder, "ours.pit"), "spans=ours:3", "close")
        private = self.made(os.path.join(elsewhere, "private.pit"), "spans=private:1", "close")
        theirs = self.made(os.path.join(elsewhere, "theirs.pit"), "spans=theirs:1", "close")
        data = bytearray(read(theirs))
        data[32:48] = read(ours)[32:48]  # it claims to be our run
        planted = write(os.path.join(folder, "a-first.pit"), bytes(data))
        os.chown(planted, NOBODY, NOBODY)
        link = os.path.join(folder, "link.pit")
        os.symlink(private, link)
        os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
        huge = os.path.join(folder, "huge.pit")
        with open(huge, "wb") as file:
            file.truncate(1 << 30)
        os.chown(huge, NOBODY, NOBODY)
        server = self.serve(folder)
        document = server.runs()
        bad = {os.path.basename(p): w for p, w in
               zip(document["unreadable"]["path"], document["unreadable"]["why"])}
        self.assertEqual(bad, {"link.pit": "a link that another user made",
                               "huge.pit": "another user's file, and larger than 256 MB"})
        self.assertEqual(document["runs"]["path"], [ours])
        names = server.json("/api/v1/runs/" + document["runs"]["id"][0])["nodes"]["columns"]["name"]
        self.assertIn("ours", json.dumps(names))
        self.assertNotIn("theirs", json.dumps(names))

    def test_hostile_names_are_inert(self):
        folder = self.folder()
        self.made(os.path.join(folder, "odd.pit"), "label=</script>=\"'\\<b>&\u2028\n",
                  "odd-names", "spans=</script><script>alert(1)</script>:2",
                  'spans=a"} 1\nevil_metric{x="y:1', "close")
        server = self.serve(folder)
        run = server.id_of("odd.pit")
        for path in ("/api/v1/runs", "/api/v1/runs/" + run, "/api/v1/runs/%s/live" % run):
            _, headers, body = server.ask(path)
            self.assertEqual(headers["Content-Type"], "application/json; charset=utf-8")
            json.loads(body.decode("utf-8"))
        _, headers, body = server.ask("/api/v1/runs/%s/report.html" % run)
        self.assertNotIn(b"<script>alert", body)
        _, headers, body = server.ask("/metrics")
        lines = body.decode("utf-8").split("\n")
        self.assertFalse([line for line in lines if line and not line.startswith(("pitwall_", "# "))])
        self.assertTrue([line for line in lines if 'script><script>alert(1)' in line])


class Fuzzed(Case):
    """Whole requests with random changes: request line, Host, Authorization and query, as the library parses them.
    tests/fuzz/fuzz_request.c gives the same to our own functions. Under the sanitizers, any finding ends the server."""

    TARGETS = ("/", "/healthz", "/assets/style.css?v=0", "/metrics", "/api/v1/runs", "/api/v1/runs?since=%(v)s",
               "/api/v1/runs/%(run)s", "/api/v1/runs/%(run)s?ranks=all", "/api/v1/runs/%(run)s/live?since=%(v)s",
               "/api/v1/runs/%(run)s/series?node=node-0%%2fnode-1", "/api/v1/runs/%(run)s/report.html",
               "/api/v1/runs/%(run)s/export/json", "/api/v1/compare?a=%(run)s&b=%(run)s,%(run)s")
    PIECES = (b"%00", b"%", b"%2e%2e%2f", b"../", b"\0", b"\r\n", b"\n", b" ", b"?", b"&", b"=", b"#", b"//", b"\xff\xfe",
              b"localhost", b"Host: evil.example\r\n", b"Content-Length: 18446744073709551616\r\n",
              b"Transfer-Encoding: chunked\r\n", b"Authorization: Bearer ", b"Range: bytes=0-\r\n", b"A" * 5000)

    def changed(self, luck, request):
        data = bytearray(request)
        for _ in range(luck.choice((0, 1, 1, 2, 3, 8))):
            at = luck.randrange(len(data) + 1)
            to = min(len(data), at + luck.randrange(12))
            data[at:to] = luck.choice((b"", bytes([luck.randrange(256)]), bytes(data[at:to]) * 2, luck.choice(self.PIECES)))
        return bytes(data)

    def answer(self, server, data):
        """The answer to these bytes, or its beginning; b"" while it waits for more. The server has one thread: after
        two later questions it has seen them."""
        with contextlib.closing(server.connect()) as link:
            back = b""
            with contextlib.suppress(OSError):  # it may close before it has read everything
                link.sendall(data + b"\r\n\r\n")
            for _ in range(2):
                self.assertEqual(server.status("/healthz"), 200, data)
            link.setblocking(False)
            with contextlib.suppress(OSError):
                while more := link.recv(65536):
                    back += more
            return back

    def test_changed_requests_leave_it_up_and_are_told_nothing_without_the_token(self):
        folder = self.folder()
        self.made(os.path.join(folder, "secret.pit"), "nodes=3", "close")
        server = self.serve(folder)
        names = {"run": server.id_of("secret.pit"), "v": server.runs()["v"]}
        luck = random.Random(18)
        answered = set()
        for _ in range(5000 if ALL else 400):
            token = luck.choice((server.token, server.token, "", server.token[:-1]))
            target = luck.choice(self.TARGETS) % names
            request = self.changed(luck, ("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                                          "Connection: close\r\n\r\n"
                                          % (luck.choice(("GET", "GET", "HEAD")), target, token)).encode())
            back = self.answer(server, request)
            self.assertTrue(back == b"" or back.startswith(b"HTTP/1."), (request, back[:200]))
            answered.add(back[9:12])
            if server.token.encode() not in request:
                self.assertNotIn(b"secret.pit", back, request)
                self.assertNotIn(b"node-0", back, request)
        self.assertLessEqual({b"200", b"400", b"401", b"403", b"404"}, answered)
        self.assertEqual(server.status("/healthz"), 200)
        self.assertLess(server.memory(), SMALL)
        self.assertEqual(server.end(), 0)


class Crowds(Case):
    def test_huge_heads_are_refused(self):
        server = self.serve(self.folder())
        head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        for data in (head + b"X-Much: " + b"x" * 10**6 + b"\r\n\r\n",
                     head + b"".join(b"X-%d: y\r\n" % i for i in range(20000)) + b"\r\n",
                     b"GET /" + b"x" * 10**6 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET /healthz?since=" + b"%41" * 10**5 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     head + b"Authorization: Bearer " + b"x" * 10**6 + b"\r\n\r\n",
                     b"\x00" * 10**6, b"\xff\xfe" * 10**5, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"\r\n" * 10**5):
            back = server.raw(data)
            self.assertFalse(back.startswith(b"HTTP/1.1 2"), data[:60])
            self.assertEqual(server.status("/healthz"), 200)
        self.assertLess(server.memory(), SMALL)

    def test_a_thousand_connections_leave_it_up_and_small(self):
        server = self.serve(self.folder())
        with contextlib.ExitStack() as open_ones:
            for _ in range(1000):
                link = open_ones.enter_context(contextlib.closing(server.connect()))
                link.setblocking(False)
            self.assertEqual(server.status("/healthz"), 200)  # once it has closed some of them
            self.assertLessEqual(server.files(), 300)
            self.assertLess(server.memory(), SMALL)
        self.assertEqual(server.status("/healthz"), 200)
        self.assertEqual(server.end(), 0)

    def test_whoever_never_ends_a_request_is_sent_away(self):
        server = self.serve(self.folder())
        slow = [server.connect() for _ in range(250)]
        for link in slow:
            self.addCleanup(link.close)
            with contextlib.suppress(OSError):  # one that was slow to begin may be sent away already
                link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        at_end = set()

        def dribble():
            for link in slow:
                if link in at_end:
                    continue
                try:
                    link.setblocking(False)
                    link.send(b"x")
                    if link.recv(100) == b"":
                        at_end.add(link)
                except BlockingIOError:
                    pass
                except OSError:
                    at_end.add(link)
            return len(at_end) >= 60  # no longer a crowd

        self.wait_until("for those who dribble to be sent away", dribble, seconds=240)
        self.assertEqual(server.status("/healthz"), 200)
        self.assertLess(server.memory(), SMALL)

    def test_memory_stays_the_same_however_often_it_is_asked(self):
        folder = self.folder()
        self.made(os.path.join(folder, "done.pit"), "nodes=50", "close")
        self.live(os.path.join(folder, "live.pit"), "nodes=50")
        server = self.serve("--refresh", "0", folder)
        run = server.id_of("live.pit")
        version = {"runs": "x", "live": "x"}

        def poll(times):
            for _ in range(times):
                version["runs"] = server.runs(version["runs"])["v"]
                version["live"] = server.json("/api/v1/runs/%s/live?since=%s"
                                              % (run, version["live"]))["v"]
                self.assertEqual(server.status("/metrics"), 200)
            return server.memory()

        rounds = 10
        poll(rounds)
        first = poll(rounds)
        last = poll(10 * rounds)
        if not pit_case.sanitizer():  # which keeps freed memory to detect later uses
            self.assertLess(last - first, 2 * MEGABYTE)
        self.assertLess(server.files(), 30)


class Trouble(Case):
    def test_mistakes_are_said(self):
        folder = self.folder()
        for status, arguments, said in (
                (66, [folder + "/nothing"], "cannot read the folder"),
                (66, [write(os.path.join(folder, "x"))], "not a folder"),
                (64, [folder, "--listen", "127.0.0.1:x"], "--listen"),
                (64, [folder, "--listen", "127.0.0.1:99999"], "--listen"),
                (69, [folder, "--listen", "192.0.2.1:0"], "cannot listen"),
                (69, [folder, "--listen", "unix:" + "x" * 200], "cannot listen"),
                (64, [folder, "--metrics-keep", "soon"], "--metrics-keep"),
                (64, [folder, "--metrics-spans", "-1"], "--metrics-spans"),
                (64, [folder, "--no-token", "--token-file", "x"], "--no-token"),
                (64, ["--nonsense"], "nonsense")):
            done = self.run_status(status, [pit_case.tool(), "serve", *arguments])
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stdout, "")
        server = self.serve(folder)
        done = self.run_status(69, [pit_case.tool(), "serve", folder, "--listen",
                                    "127.0.0.1:%d" % server.port])
        self.assertIn("the port is in use", done.stderr)

    def test_without_the_library_the_package_is_named(self):
        folder = self.folder()
        write(os.path.join(folder, "libmicrohttpd.so.12"), b"\x7fELF, but no more of it")
        done = self.run_status(69, [pit_case.tool(), "serve", folder],
                               env=pit_case.clean_env(LD_LIBRARY_PATH=folder))
        self.assertIn("libmicrohttpd12", done.stderr)
        # and no other command needs it
        self.run_ok([pit_case.tool(), "list", folder],
                    env=pit_case.clean_env(LD_LIBRARY_PATH=folder))

    @pit_case.plain_build
    def test_our_declarations_are_those_of_the_library(self):
        source = write(os.path.join(self.folder(), "same.c"), SAME_DECLARATIONS.encode())
        self.run_ok(["cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror",
                     "-I", os.path.join(pit_case.source_dir(), "src"), source])

    def test_a_run_that_was_cut_meanwhile_is_no_longer_told(self):
        folder = self.folder()
        path = self.made(os.path.join(folder, "a.pit"), "nodes=30", "close")
        server = self.serve("--refresh", "0", folder)
        run = server.id_of("a.pit")
        self.assertEqual(server.status("/api/v1/runs/" + run), 200)
        os.chmod(path, 0o600)
        with open(path, "r+b") as file:
            file.truncate(100)
        self.assertEqual(server.status("/api/v1/runs/" + run), 404)
        self.assertEqual(len(server.runs()["unreadable"]["why"]), 1)
        # the header claims more than there is
        with open(path, "r+b") as file:
            file.truncate(4096)
            file.seek(192)
            file.write(struct.pack("=Q", 1 << 50))
        self.assertEqual(server.status("/api/v1/runs"), 200)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
