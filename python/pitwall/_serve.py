"""The page of a folder of runs, served by the tool `pitwall` in a process of its own."""

import atexit
import html
import json
import subprocess
import sys
import tempfile

from ._pitwall import Error


class Server:
    """A running `pitwall serve`. It ends with this process, with stop(), or at the end of a `with`."""

    def __init__(self, process, told):
        self._process = process
        self.link = told["link"]  # with the token in it: whoever has it can read the runs
        self.url = told["url"]  # None: it listens at a socket
        self.socket = told["socket"]
        self.token = told["token"]
        self.pid = told["pid"]
        atexit.register(self.stop)

    @property
    def is_running(self):
        return self._process.poll() is None

    def stop(self):
        """End it; once is enough."""
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
    """A notebook shows what a cell returns: the link is a click away."""
    shell = sys.modules.get("IPython")
    made = shell.get_ipython() if shell else None
    return made is not None and "IPKernelApp" in made.config


def serve(folder=None, *folders, listen="127.0.0.1:0", open=None):
    """Serve the page of the runs in a folder, live, and return the server; its link has the token.

    folder   where the runs are; without: ./pitwall-runs and the folder itself
    listen   an address and port, port 0 being any free one, or unix:PATH
    open     whether a browser is opened; without: not in a notebook, which shows the link

    Needs the tool `pitwall` and libmicrohttpd on this machine. The server is a process of its own; this
    one goes on undisturbed.
    """
    from .__main__ import find_tool

    tool = find_tool()
    if tool is None:
        raise Error("pitwall.serve needs the tool pitwall, which is not in PATH")
    places = [str(place) for place in (folder, *folders) if place is not None]
    if open is None:
        open = not _in_notebook()
    # the tool opens the browser: it shows the token to nobody else
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
