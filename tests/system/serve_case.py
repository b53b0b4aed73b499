"""Shared by the tests of `pitwall serve`: a server for each test, and requests to it."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess

import pit_case
from places import Case as PlaceCase

LONG = 300  # seconds after which a wait is a hang


class Server:
    """A running `pitwall serve`; self.told is the line of JSON that it printed."""

    def __init__(self, case, *arguments, env=None):
        self.case = case
        arguments = [str(part) for part in arguments]
        if "--listen" not in arguments:
            arguments += ["--listen", "127.0.0.1:0"]
        self.child = case.start([pit_case.tool(), "serve", "--json", *arguments], env=env)
        line = self.child.stdout.readline()
        if not line:
            case.fail("the server said nothing: " + self.child.stderr.read().decode())
        self.told = json.loads(line)
        self.token = self.told["token"]
        if self.told["url"]:
            self.host, port = self.told["url"][len("http://"):].rstrip("/").rsplit(":", 1)
            self.port = int(port)

    def connect(self):
        if self.told["socket"]:
            link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            link.settimeout(LONG)
            link.connect(self.told["socket"])
            return link
        return socket.create_connection((self.host.strip("[]"), self.port), timeout=LONG)

    def ask(self, path, method="GET", token=True, headers=None):
        """(status, headers, body) of one request; token=True: the right one. The server closes connections on
        which nothing comes for some seconds: where this process was stopped for so long, it asks again."""
        for _ in range(4):
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                return self.ask_once(path, method, token, headers)
        return self.ask_once(path, method, token, headers)

    def ask_once(self, path, method, token, headers):
        all_headers = dict(headers or {})
        if token and (self.token or token is not True):
            all_headers.setdefault("Authorization",
                                   "Bearer " + (self.token if token is True else token))
        with contextlib.closing(http.client.HTTPConnection("localhost", timeout=LONG)) as link:
            link.sock = self.connect()
            link.putrequest(method, path, skip_host="Host" in all_headers)
            for name, value in all_headers.items():
                link.putheader(name, value)
            link.endheaders()
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read()

    def status(self, path, **how):
        return self.ask(path, **how)[0]

    def json(self, path):
        status, _, body = self.ask(path)
        self.case.assertEqual(status, 200, body)
        return json.loads(body)

    def raw(self, data):
        """The answer to these bytes, until the other end closes."""
        with contextlib.closing(self.connect()) as link:
            with contextlib.suppress(OSError):  # it may close before it has read everything
                link.sendall(data)
            back = b""
            with contextlib.suppress(OSError):
                while more := link.recv(65536):
                    back += more
            return back

    def runs(self, since=None):
        return self.json("/api/v1/runs" + ("?since=" + since if since else ""))

    def states(self):
        """path -> state of the runs listed."""
        runs = self.runs()["runs"]
        return {os.path.basename(p): s for p, s in zip(runs["path"], runs["state"])}

    def id_of(self, name):
        runs = self.runs()["runs"]
        found = [i for i, p in zip(runs["id"], runs["path"]) if os.path.basename(p) == name]
        self.case.assertEqual(len(found), 1, runs["path"])
        return found[0]

    def memory(self):
        """Bytes of resident memory."""
        with open("/proc/%d/statm" % self.child.pid, encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def files(self):
        return len(os.listdir("/proc/%d/fd" % self.child.pid))

    def end(self):
        """Ctrl-C; the exit status."""
        self.child.send_signal(signal.SIGINT)
        return self.child.wait(timeout=LONG * pit_case.slowness())


class Case(PlaceCase):
    def serve(self, *arguments, **options):
        return Server(self, *arguments, **options)

    def made(self, path, *steps, status=0):
        self.place("open=" + path, *steps, status=status)
        return path

    def live(self, path, *steps):
        """A program that records into path and lives until it is killed."""
        ready = os.path.join(self.folder(), "ready")
        child = self.start_place("open=" + path, *steps, "ready=" + ready,
                                 "until=" + ready + ".never", stdout=subprocess.DEVNULL)
        self.wait_file(ready)
        return child
