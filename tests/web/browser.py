"""A headless Chromium, driven by its own protocol over a pipe, with the standard library alone."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """The browser of the system, with a profile of its own that goes with it."""

    def __init__(self, program="chromium"):
        to_read, self.to_write = os.pipe()
        self.to_listen, to_answer = os.pipe()
        self.profile = tempfile.mkdtemp(prefix="page-test-")

        def pipes():  # the protocol is at 3 and 4; first out of the way of each other
            read, write = (fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (to_read, to_answer))
            os.dup2(read, 3)
            os.dup2(write, 4)

        options = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-background-networking", "--disable-dev-shm-usage", "--disable-component-update",
                   "--force-color-profile=srgb", "--user-data-dir=" + self.profile, "about:blank"]
        self.log = open(os.path.join(self.profile, "log"), "wb")
        self.process = subprocess.Popen([program, *options], close_fds=False, preexec_fn=pipes, stdout=self.log,
                                        stderr=self.log)
        os.close(to_read)
        os.close(to_answer)
        self.last, self.rest, self.pages = 0, b"", {}

    def message(self, patience):
        """The next message of the browser; None where none comes in time."""
        end = time.monotonic() + patience
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.to_listen], [], [], left)[0]:
                return None
            more = os.read(self.to_listen, 1 << 20)
            if not more:
                self.log.flush()
                raise RuntimeError("the browser has ended: " + open(self.log.name, errors="replace").read()[-2000:])
            self.rest += more
        one, _, self.rest = self.rest.partition(b"\0")
        return json.loads(one)

    def take(self, message):
        page = self.pages.get(message.get("sessionId"))
        if page is not None and "method" in message:
            page.events.append(message)

    def call(self, method, session=None, patience=120, **parameters):
        """What a method of the protocol returns."""
        self.last += 1
        asked = {"id": self.last, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        data = json.dumps(asked).encode() + b"\0"
        while data:
            data = data[os.write(self.to_write, data):]
        while True:
            message = self.message(patience)
            if message is None:
                raise RuntimeError("no answer to " + method)
            if message.get("id") == asked["id"]:
                if "error" in message:
                    raise RuntimeError(method + ": " + json.dumps(message["error"]))
                return message["result"]
            self.take(message)

    def page(self):
        return Page(self)

    def close(self):
        try:
            self.call("Browser.close", patience=10)
        except (RuntimeError, OSError):
            self.process.kill()
        self.process.wait()
        os.close(self.to_write)
        os.close(self.to_listen)
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """One tab. `problems` has every error, exception and violation of its policy, `requests` every address fetched."""

    def __init__(self, browser):
        self.browser, self.events = browser, []
        target = browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Page.addScriptToEvaluateOnNewDocument", source="""
            globalThis.violations = [];
            document.addEventListener("securitypolicyviolation",
                                      (event) => violations.push(event.violatedDirective + " " + event.blockedURI));""")
        self.size(1280, 900)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def size(self, width, height, telephone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=telephone)

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script, patience=120):
        """The value of an expression, which may await."""
        result = self.browser.call("Runtime.evaluate", self.session, patience, expression=script, awaitPromise=True,
                                   returnByValue=True, userGesture=True, replMode=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def until(self, condition, patience=60):
        end = time.monotonic() + patience
        while not self.run("!!(" + condition + ")"):
            if time.monotonic() > end:
                raise RuntimeError("never: " + condition)
            time.sleep(0.02)

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.until("document.body?.dataset.state === 'answered'")

    def press(self, key, code=None, text=None):
        codes = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, " ": 32}
        given = {"key": key, "code": code or key, "windowsVirtualKeyCode": codes.get(key, 0)}
        if text:
            given["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **given)
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def picture(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def pump(self):
        """Takes what events have come."""
        while True:
            message = self.browser.message(0)
            if message is None:
                return
            self.browser.take(message)

    @property
    def problems(self):
        self.pump()
        found = list(self.run("globalThis.violations ?? []"))
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(json.dumps(event["params"]["exceptionDetails"])[:500])
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
                found.append(event["params"]["entry"]["text"])
        return found

    @property
    def requests(self):
        self.pump()
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
