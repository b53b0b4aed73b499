"""Serve the page of a folder of runs, by the tool `pitwall` in its own process."""

import atexit
import html
import json
import subprocess
import sys
import tempfile

from ._pitwall import Error


class Server:
    """A running `pitwall serve`. It stops with this process, by stop(), or at the end of a `with` block."""

    def __init__(self, process, told):
        self._process = process
        self.link = told["link"]  # contains the token: anyone with this link can read the runs
        self.url = told["url"]  # None if it listens on a unix socket
        self.socket = told["socket"]
        self.token = told["token"]
        self.pid = told["pid"]
        atexit.register(self.stop)

    @property
    def is_running(self):
        return self._process.poll() is None

    def stop(self):
        """Stop the server. Further calls do nothing."""
        atexit.unregister(self.stop)
        if self.is_running:
            self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()

    def __repr__(self):
        return "<pitwall.serve at %s%s>" % (self.link, "" if self.is_running else ", stopped")

    def _repr_html_(self):
        link = html.escape(self.link, quote=True)
        return '<a href="%s" target="_blank" rel="noopener noreferrer">Pitwall: runs</a>' % link


def _in_notebook():
    """True in a notebook, which displays the returned server as a link."""
    shell = sys.modules.get("IPython")
    made = shell.get_ipython() if shell else None
    return made is not None and "IPKernelApp" in made.config


def serve(folder=None, *folders, listen="127.0.0.1:0", open=None):
    """Serve the live page of the runs in a folder. Returns the server; its link contains the access token.

    folder   the folder with the runs; default: ./pitwall-runs and the current folder
    listen   address and port (port 0: any free port), or unix:PATH
    open     True: open a browser; default: yes, except in a notebook, which shows the link

    Requires the tool `pitwall` and libmicrohttpd on this machine. The server runs in its own process and
    does not block this one.
    """
    from .__main__ import find_tool

    tool = find_tool()
    if tool is None:
        raise Error("pitwall.serve requires the tool pitwall, which is not in PATH; see docs/install.md")
    places = [str(place) for place in (folder, *folders) if place is not None]
    if open is None:
        open = not _in_notebook()
    # the tool opens the browser, so the token appears in no other command line
    command = [tool, "serve", "--json", "--listen", listen, *(["--open"] if open else []), "--",
               *places]
    with tempfile.TemporaryFile("w+") as talk:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=talk, text=True)
        line = process.stdout.readline()
        if not line:
            process.communicate()
            talk.seek(0)
            said = talk.read().strip()
            raise Error(said or "pitwall serve ended with status %d" % process.returncode)
    return Server(process, json.loads(line))
