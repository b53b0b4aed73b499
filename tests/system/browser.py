"""A real browser for tests: headless Chromium, driven over the WebDriver protocol with nothing but the
standard library. https://www.w3.org/TR/webdriver2/"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import pit_case

HANG_S = 240  # no test measures time: this only detects a page that never reaches the state
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--no-default-browser-check", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--force-device-scale-factor=1",
         "--disable-features=IsolateSandboxedIframes"]  # the driver cannot enter isolated frames
KEYS = {"Escape": "\ue00c", "ArrowDown": "\ue015", "ArrowUp": "\ue013", "ArrowLeft": "\ue012",
        "ArrowRight": "\ue014", "Enter": "\ue007", "Tab": "\ue004", "Home": "\ue011", "End": "\ue010"}


def missing():
    """What is missing, or ""."""
    for names in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)):
        if not any(shutil.which(n) for n in names):
            return "%s is not installed" % names[0]
    return ""


class Failed(Exception):
    """The browser reports an error."""


class Browser:
    def __init__(self, width=1440, height=1000, dark=False, extra=()):
        self.folder = tempfile.mkdtemp(prefix="pitwall-browser-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, cwd=self.folder)
        self.session = None
        try:
            self.base = "http://127.0.0.1:%d" % self._port()
            self._begin(width, height, dark, list(extra))
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(rb"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failed("chromedriver did not start")

    def _begin(self, width, height, dark, extra):
        options = {"args": FLAGS + ["--user-data-dir=" + os.path.join(self.folder, "profile"),
                                    "--window-size=%d,%d" % (width, height)] + extra,
                   "binary": next(filter(None, map(shutil.which, (
                       "chromium", "chromium-browser", "google-chrome"))))}
        always = {"browserName": "chrome", "goog:chromeOptions": options, "pageLoadStrategy": "normal",
                  "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        self.session = "/session/" + answer["sessionId"]
        self._send("POST", self.session + "/timeouts", {"script": HANG_S * 1000, "pageLoad": HANG_S * 1000})
        self.media(dark=dark)
        self.size(width, height)

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"},
                                         method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=HANG_S + 30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(json.load(error)["value"]["message"]) from None

    def command(self, name, **params):
        """A command of the DevTools protocol."""
        return self._send("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": params})

    def media(self, dark=False, kind=""):
        self.command("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def size(self, width, height):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=False)

    def open(self, url):
        self._send("POST", self.session + "/url", {"url": url})

    def reload(self):
        self._send("POST", self.session + "/refresh", {})

    def run(self, script, *args):
        """The value of a function body in the page."""
        return self._send("POST", self.session + "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args):
        """Wait until it is true in the page; returns the value."""
        patience = pit_case.Patience(HANG_S)
        while True:
            value = self.run(script, *args)
            if value:
                return value
            if patience.is_over():
                raise Failed("never true: %s\n%s" % (script, self.run("return document.body.innerText")[:2000]))
            time.sleep(0.02)

    def find(self, css):
        return self._send("POST", self.session + "/element", {"using": "css selector", "value": css})

    def click(self, css):
        self._send("POST", "%s/element/%s/click" % (self.session, self.find(css)[ELEMENT]), {})

    def type(self, css, text):
        self._send("POST", "%s/element/%s/value" % (self.session, self.find(css)[ELEMENT]), {"text": text})

    def press(self, *keys):
        """Send keys to the focused element."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._send("POST", self.session + "/actions",
                   {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, css, begin, end):
        """From one share of an element's width to another, at half its height."""
        box = self.run("const b=document.querySelector(arguments[0]).getBoundingClientRect();"
                       "return [b.left,b.top,b.width,b.height]", css)
        y = int(box[1] + box[3] / 2)
        moves = [{"type": "pointerMove", "duration": 0, "x": int(box[0] + box[2] * begin), "y": y},
                 {"type": "pointerDown", "button": 0},
                 {"type": "pointerMove", "duration": 0, "x": int(box[0] + box[2] * (begin + end) / 2), "y": y},
                 {"type": "pointerMove", "duration": 0, "x": int(box[0] + box[2] * end), "y": y},
                 {"type": "pointerUp", "button": 0}]
        self.mouse(*moves)

    def mouse(self, *actions):
        """{"type": "pointerDown", "button": 0} and others of the protocol; a button stays down from call to call."""
        self._send("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}]})

    def press_on(self, css):
        """Press the button in the middle of an element and keep it down; release it with mouse({"type":
        "pointerUp", "button": 0})."""
        x, y = self.run("const b=document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.left + b.width / 2, b.top + b.height / 2]", css)
        self.mouse({"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0})

    def enter(self, css):
        """Enter a frame: later calls are inside it. None: leave it."""
        self._send("POST", self.session + "/frame", {"id": self.find(css) if css else None})

    def log(self, kind):
        return self._send("POST", self.session + "/se/log", {"type": kind})

    def requests(self):
        """All addresses that the page has requested, from the browser's log, which is then empty."""
        found = []
        for line in self.log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def picture(self, path, whole=True):
        """A PNG of the page, including the part below the window."""
        if whole:
            box = self.command("Page.getLayoutMetrics")["cssContentSize"]
            data = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                clip={"x": 0, "y": 0, "width": box["width"], "height": box["height"],
                                      "scale": 1})["data"]
        else:
            data = self.command("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        if self.session:
            try:
                self._send("DELETE", self.session)
            except (Failed, OSError):
                pass
            self.session = None
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()
