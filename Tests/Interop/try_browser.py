"""Popups and redirects of Firebase's JavaScript SDK, in headless Chromium.

    python try_browser.py EMULATOR-PORT BUNDLE VERSION

EMULATOR-PORT is the port of `gate serve --emulator` on this machine, BUNDLE is browser/app.js with the SDK, and VERSION
is the SDK's. The script that the SDK loads from Google is replaced by browser/frames.js. Nothing else of the SDK is.
"""

import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from playwright.sync_api import expect as shows
from playwright.sync_api import sync_playwright

from report import Report, expect

port, bundle, version = int(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes(), sys.argv[3]
FRAMES = (pathlib.Path(__file__).parent / "browser" / "frames.js").read_text()
PATIENCE = 30_000
CROSS_SITE = "the browser keeps the storage of frames apart by their windows' sites; use one host name for both"


class App(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_page = self.path.split("?")[0] == "/"
        body = b"<!doctype html><title>App</title><body><script src=app.js></script>" if is_page else bundle
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8" if is_page else "text/javascript; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


app_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=app_server.serve_forever, daemon=True).start()


def emulator(method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", method=method, data=json.dumps(body or {}).encode(),
        headers={"Authorization": "Bearer owner", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def chromium(folder):
    """Starts a browser as a person has it: the tool's own settings would turn off the separation of storage."""
    arguments = [
        "chromium", "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={folder}", "--no-first-run",
        "--disable-popup-blocking", "--host-resolver-rules=MAP evil.example 127.0.0.1"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    process = subprocess.Popen([*arguments, "about:blank"], stdout=sys.stderr, stderr=subprocess.DEVNULL)
    file = pathlib.Path(folder) / "DevToolsActivePort"
    deadline = time.monotonic() + 60
    while not (file.exists() and "\n" in file.read_text()):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise SystemExit("Chromium did not start")
        time.sleep(0.05)
    return process, f"http://127.0.0.1:{file.read_text().split()[0]}"


class Scene:
    """A browser without a past, with the app open, and an emulator without accounts."""

    def __init__(self, browser, app_host, emulator_host):
        emulator("DELETE", "/emulator/v1/projects/local/accounts")
        self.context = browser.new_context()
        self.context.set_default_timeout(PATIENCE)
        self.context.route(
            "https://apis.google.com/**", lambda route: route.fulfill(content_type="text/javascript", body=FRAMES))
        self.app_host, self.emulator_host = app_host, emulator_host
        self.page = self.context.new_page()
        self.open()

    def open(self):
        self.page.goto(
            f"http://{self.app_host}:{app_server.server_port}/?emulator=http://{self.emulator_host}:{port}")

    def run(self, script, *arguments):
        return self.page.evaluate(f"async (arguments) => outcome({script})", list(arguments))

    def popup(self, script, act):
        """Begins a call that opens a popup, does something in the popup, and returns what the call gives."""
        with self.page.expect_popup() as popup:
            self.page.evaluate(f"() => {{ window.waiting = outcome({script}) }}")
        act(popup.value)
        return self.page.evaluate("() => waiting")

    def redirect(self, script, act):
        """Begins a call that leads to the emulator's page, does something there, and returns the result of it."""
        with self.page.expect_navigation(url="**/emulator/auth/handler?**"):
            self.page.evaluate(f"() => {{ {script} }}")
        with self.page.expect_navigation(url=f"**:{app_server.server_port}/**"):
            act(self.page)
        return self.run("sdk.getRedirectResult(auth)")


def add(email, name=""):
    def act(page):
        page.click(".js-new-account")
        page.fill("#email-input", email)
        page.fill("#display-name-input", name)
        page.click("#sign-in")

    return act


def choose(email):
    def act(page):
        page.click(f"#accounts-list li:has-text('{email}')")

    return act


GOOGLE = "new sdk.GoogleAuthProvider()"
POPUP = f"sdk.signInWithPopup(auth, {GOOGLE})"
REDIRECT = f"sdk.signInWithRedirect(auth, {GOOGLE})"
ODD = "</script><img src=x onerror=window.hit=1>&\"'"


def sign_in_with_popup(scene):
    first = scene.popup(POPUP, add("bob@example.com", "Bob"))
    expect((first["email"], first["name"], first["operation"]) == ("bob@example.com", "Bob", "signIn"), first)
    scene.run("auth.signOut()")
    again = scene.popup(POPUP, choose("bob@example.com"))
    expect(again["uid"] == first["uid"], again)
    scene.run("auth.signOut()")
    typed = scene.popup(POPUP, add("Bob@example.com"))
    expect(typed["uid"] == first["uid"], typed)


def link_with_popup(scene):
    anonymous = scene.run("sdk.signInAnonymously(auth)")
    linked = scene.popup(f"sdk.linkWithPopup(auth.currentUser, {GOOGLE})", add("bob@example.com"))
    expect((linked["uid"], linked["operation"]) == (anonymous["uid"], "link"), linked)


def reauthenticate_with_popup(scene):
    scene.popup(POPUP, add("eve@example.com"))
    bob = scene.popup(POPUP, add("bob@example.com"))
    call = f"sdk.reauthenticateWithPopup(auth.currentUser, {GOOGLE})"
    same = scene.popup(call, choose("bob@example.com"))
    expect((same["uid"], same["operation"]) == (bob["uid"], "reauthenticate"), same)
    other = scene.popup(call, choose("eve@example.com"))
    expect(other == {"code": "auth/user-mismatch"}, other)


def close_popup(scene):
    closed = scene.popup(POPUP, lambda popup: popup.close())
    expect(closed == {"code": "auth/popup-closed-by-user"}, closed)


def credential_from_result(scene, provider):
    first = scene.popup(f"sdk.signInWithPopup(auth, new sdk.{provider}())", add("bob@example.com"))
    scene.page.evaluate(f"() => {{ window.credential = sdk.{provider}.credentialFromResult(latest) }}")
    scene.run("auth.signOut()")
    again = scene.run("sdk.signInWithCredential(auth, credential)")
    expect(again["uid"] == first["uid"], again)


def popup_of_tenant(scene):
    tenant = emulator("POST", "/identitytoolkit.googleapis.com/v2/projects/local/tenants", {"displayName": "North"})
    tenant = tenant["name"].split("/")[-1]
    scene.page.evaluate("(tenant) => { auth.tenantId = tenant }", tenant)
    first = scene.popup(POPUP, add("bob@example.com"))
    expect(first["tenant"] == tenant, first)
    again = scene.popup(POPUP, choose("bob@example.com"))
    expect(again["uid"] == first["uid"], again)


def odd_name(scene):
    scene.popup(POPUP, add("odd@example.com", ODD))

    def look(page):
        shows(page.locator("#accounts-list small")).to_have_text(ODD)
        expect(page.locator("img").count() == 0 and not page.evaluate("() => window.hit"), "the name is markup")
        page.close()

    scene.popup(POPUP, look)


def sign_in_with_redirect(scene):
    first = scene.redirect(REDIRECT, add("bob@example.com", "Bob"))
    expect((first["email"], first["operation"]) == ("bob@example.com", "signIn"), first)
    # A result is given once.
    expect(scene.run("sdk.getRedirectResult(auth)")["none"])
    scene.run("auth.signOut()")
    again = scene.redirect(REDIRECT, choose("bob@example.com"))
    expect(again["uid"] == first["uid"], again)


def link_with_redirect(scene):
    anonymous = scene.run("sdk.signInAnonymously(auth)")
    linked = scene.redirect(f"sdk.linkWithRedirect(auth.currentUser, {GOOGLE})", add("bob@example.com"))
    expect((linked["uid"], linked["operation"]) == (anonymous["uid"], "link"), linked)


def reauthenticate_with_redirect(scene):
    scene.redirect(REDIRECT, add("eve@example.com"))
    scene.redirect(REDIRECT, add("bob@example.com"))
    call = f"sdk.reauthenticateWithRedirect(auth.currentUser, {GOOGLE})"
    other = scene.redirect(call, choose("eve@example.com"))
    expect(other == {"code": "auth/user-mismatch"}, other)


def leave_redirect(scene):
    left = scene.redirect(REDIRECT, lambda page: scene.open())
    expect(left["none"], left)


def foreign_page(scene):
    """Another page gets neither of the two pages, in a window or in a frame."""
    scene.page.goto(f"http://evil.example:{app_server.server_port}/?emulator=http://{scene.emulator_host}:{port}")
    for path in ("iframe?apiKey=key", "handler?apiKey=key&providerId=google.com&authType=signInViaPopup"):
        url = f"http://{scene.emulator_host}:{port}/emulator/auth/{path}"
        for policy in ("", "no-referrer"):
            with scene.page.expect_response(url) as response:
                scene.page.evaluate(
                    "([url, policy]) => { const frame = document.createElement('iframe'); frame.src = url;"
                    " frame.referrerPolicy = policy; document.body.append(frame) }", [url, policy])
            expect(response.value.status == 403, response.value.status)
    with scene.page.expect_popup() as popup:
        scene.page.evaluate("(url) => { window.open(url) }", url)
    shows(popup.value.locator("body")).to_contain_text("PERMISSION_DENIED")


def foreign_redirect(scene):
    """The emulator's page leads to no page that may not use the emulator."""
    scene.page.goto("about:blank")
    path = "handler?apiKey=key&providerId=google.com&authType=signInViaRedirect&redirectUrl=http://evil.example/"
    answer = scene.page.goto(f"http://{scene.emulator_host}:{port}/emulator/auth/{path}")
    expect(answer.status == 403, answer.status)


ALL = [
    ("signInWithPopup", sign_in_with_popup),
    ("linkWithPopup", link_with_popup),
    ("reauthenticateWithPopup", reauthenticate_with_popup),
    ("signInWithRedirect, getRedirectResult", sign_in_with_redirect),
    ("linkWithRedirect", link_with_redirect),
]
ONCE = [
    ("signInWithPopup, closed by the user", close_popup),
    ("signInWithPopup, of a tenant", popup_of_tenant),
    ("signInWithPopup, a name with markup", odd_name),
    *(
        (f"{name}.credentialFromResult", functools.partial(credential_from_result, provider=name))
        for name in ("GoogleAuthProvider", "GithubAuthProvider")
    ),
    ("reauthenticateWithRedirect, another user", reauthenticate_with_redirect),
    ("signInWithRedirect, left by the user", leave_redirect),
    ("(pages of another host in frames and windows)", foreign_page),
    ("(a redirect to another host)", foreign_redirect),
]
HOSTS = [("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("127.0.0.1", "localhost")]

with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as tool:
    process, address = chromium(folder)
    try:
        browser = tool.chromium.connect_over_cdp(address)
        for hosts in HOSTS:
            way = f"the app at {hosts[0]}, the emulator at {hosts[1]}, Chromium {browser.version.split('.')[0]}"
            known = {name: CROSS_SITE for name, _ in ALL if "Redirect" in name and hosts[0] != hosts[1]}
            report = Report("firebase-js-sdk", known, way)
            for name, call in ALL + (ONCE if hosts == HOSTS[0] else []):
                scene = Scene(browser, *hosts)
                report.call(name, lambda: call(scene))
                scene.context.close()
            report.print(version)
    finally:
        process.terminate()
        process.wait()
