"""Sends hostile requests to a running server: `hostile.py ADDRESS PID [emulator]`.

Checks that every request gets a response in the protocol's form or a closed connection, that the server's memory use
does not grow, and that no account is lost. Sends rounds of requests until the time is over. Prints one line on success.
Otherwise it also prints the faults, and exits with status 1.
"""

import concurrent.futures
import json
import re
import socket
import sys
import time

HOST, PORT = re.fullmatch(r"http://([0-9.]+):([0-9]+)", sys.argv[1]).groups()
PID = sys.argv[2]
EMULATOR = "emulator" in sys.argv[3:]
SECONDS = 8
MEGABYTE = 1 << 20
HANG = 600  # after so many seconds without a byte a connection hangs, on the slowest machine
faults = []


def expect(fact, text):
    if not fact:
        faults.append(text)


def connect():
    made = socket.create_connection((HOST, int(PORT)), timeout=HANG)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def exchange(data, finishing=True):
    """Sends bytes, and returns what comes until the server closes the connection."""
    with connect() as made:
        try:
            made.sendall(data)
            if finishing:
                made.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server has closed it: what it has said is still there.
        got = b""
        while True:
            try:
                part = made.recv(65536)
            except ConnectionError:
                return got
            if not part:
                return got
            got += part


def answers(got):
    """The answers in what a connection has sent: status and body of each."""
    found = []
    while got:
        head, split, rest = got.partition(b"\r\n\r\n")
        line = re.match(rb"HTTP/1\.1 ([0-9]{3}) ", head)
        if not line or not split:
            return found + [(0, got[:200])]
        length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
        count = int(length.group(1)) if length else 0
        if line.group(1) != b"100":
            found.append((int(line.group(1)), rest[:count]))
            got = rest[count:]
        else:
            got = rest
    return found


def post(path, body, fields="", close=True):
    body = body if isinstance(body, bytes) else body.encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {len(body)}\r\n"
    return head.encode() + (b"Connection: close\r\n" if close else b"") + b"\r\n" + body


def call(path, **members):
    found = answers(exchange(post(f"/v1/{path}?key=k", json.dumps(members))))
    expect(len(found) == 1, f"{path}: {found}")
    status, body = found[0] if found else (0, b"{}")
    return status, json.loads(body or b"{}")


def refused(data, name, most=1):
    """Sends bytes, and sees that nothing in the answer is a success, or an answer that no client can read."""
    found = answers(exchange(data))
    expect(len(found) <= most, f"{name}: {len(found)} answers: {found}")
    for status, body in found:
        expect(400 <= status <= 499, f"{name}: {status} {body[:200]}")
        if body:
            try:
                error = json.loads(body)["error"]
                expect(error["code"] == status and error["message"], f"{name}: {body[:200]}")
            except (ValueError, KeyError, TypeError):
                expect(False, f"{name}: {body[:200]}")


# The requests.

SIGN_UP = "/v1/accounts:signUp?key=k"
DEEP = "[" * 50_000
BODIES = [
    "{", "[]", "null", '{"email":}', '{"email":"a","email":"b"}', '{"email":"a","\\u0065mail":"b"}', '{"a":' + DEEP,
    '{"a":' + DEEP + "]" * 50_000 + "}", "\0", "\ufeff{}", b'{"email":"\xff"}', '{"email":"\\ud800"}', '{"a":1e999999}',
    '{"a":' + "9" * 100_000 + "}", "{" + ",".join(f'"m{n}":1' for n in range(2000)) + "}", '{"email":["a"]}',
    '{"email":{}}', '{"idToken":"a.b.c"}', '{"idToken":"' + "A" * 500_000 + '"}',
]
PATHS = [
    "//v1/accounts:signUp", "/v1/./accounts:signUp", "/v1/x/../accounts:signUp", "/%2e%2e/v1/accounts:signUp",
    "/v1%2Faccounts:signUp", "/v1/accounts:signUp%00", "/v1\\accounts:signUp", "/" + "a/" * 2000,
    "/v1/projects/" + "%41" * 2000 + "/accounts", "/../../../etc/passwd", "/v1/accounts:signUp/", "*",
]
INNER = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKS = b"0\r\n\r\n"


def head(*fields, line=f"POST {SIGN_UP} HTTP/1.1"):
    return "\r\n".join((line, "Host: localhost", *fields)).encode() + b"\r\n\r\n"


# The end of each request is ambiguous: the request inside must never be answered.
SMUGGLED = {
    "length and chunks": head("Content-Length: 5", "Transfer-Encoding: chunked") + CHUNKS + INNER,
    "chunks and length": head("Transfer-Encoding: chunked", "Content-Length: 60") + CHUNKS + INNER,
    "two lengths": head("Content-Length: 2", "Content-Length: 50") + b"{}" + INNER,
    "two lengths in one": head("Content-Length: 2, 50") + b"{}" + INNER,
    "a length that is none": head("Content-Length: +2") + b"{}" + INNER,
    "a negative length": head("Content-Length: -1") + INNER,
    "a length without end": head("Content-Length: 99999999999999999999") + INNER,
    "another coding": head("Transfer-Encoding: chunked, identity") + CHUNKS + INNER,
    "a coding that looks like one": head("Transfer-Encoding: xchunked") + CHUNKS + INNER,
    "a coding twice": head("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + CHUNKS + INNER,
    "a folded field": head("X-A: b", " Transfer-Encoding: chunked", "Content-Length: 2") + b"{}" + INNER,
    "a folded coding": head("Transfer-Encoding:", " chunked") + CHUNKS + INNER,
    "a space before the colon": head("Transfer-Encoding : chunked", "Content-Length: 2") + b"{}" + INNER,
    "a NUL in a field": head("X-A: a\0b", "Content-Length: 2") + b"{}" + INNER,
    "a CR in a field": head("X-A: a\rTransfer-Encoding: chunked", "Content-Length: 2") + b"{}" + INNER,
    "bare line feeds": head("Content-Length: 0\nTransfer-Encoding: chunked") + INNER,
    "a chunk without end": head("Transfer-Encoding: chunked") + b"ffffffffffffffffff\r\n" + INNER,
    "a chunk of no digits": head("Transfer-Encoding: chunked") + b"zz\r\n" + INNER,
    "a chunk with a sign": head("Transfer-Encoding: chunked") + b"-1\r\n" + INNER,
    "no host": b"POST " + SIGN_UP.encode() + b" HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + INNER,
    "two hosts": head("Host: other", "Content-Length: 2") + b"{}" + INNER,
    "another version": head("Content-Length: 2", line=f"POST {SIGN_UP} HTTP/9.9") + b"{}" + INNER,
    "no version": b"POST " + SIGN_UP.encode() + b"\r\n\r\n" + INNER,
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
}


def long_body(chunked):
    """Forty megabytes: refused, however long the client goes on."""
    part = b"a" * 65536
    with connect() as made:
        try:
            if chunked:
                made.sendall(head("Transfer-Encoding: chunked"))
                for _ in range(40 * MEGABYTE // len(part)):
                    made.sendall(b"10000\r\n" + part + b"\r\n")
                made.shutdown(socket.SHUT_WR)
            else:
                made.sendall(head(f"Content-Length: {40 * MEGABYTE}"))
                for _ in range(40 * MEGABYTE // len(part)):
                    made.sendall(part)
        except OSError:
            pass
        got = b""
        try:
            while part := made.recv(65536):
                got += part
        except OSError:
            pass
    for status, body in answers(got):
        expect(status == 413, f"40 MB: {status} {body[:200]}")


def flood():
    refused(head(*(f"X-{n}: a" for n in range(20_000)), "Content-Length: 0"), "many fields")
    refused(head("X-A: " + "a" * MEGABYTE, "Content-Length: 0"), "a long field")
    refused(head("Content-Length: 0", line="GET /" + "a" * MEGABYTE + " HTTP/1.1"), "a long target")


def methods():
    for method in ("GET", "PUT", "DELETE", "PATCH", "TRACE", "BREW", "CONNECT"):
        refused(head("Connection: close", line=f"{method} {SIGN_UP} HTTP/1.1"), method)


def at_once(count, work):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [each.result() for each in [pool.submit(work, n) for n in range(count)]]


def duplicate_sign_ups(number):
    """Of many sign-ups with one address one succeeds."""
    email = f"twin{number}@example.com"
    found = at_once(5, lambda n: call("accounts:signUp", email=email, password=f"correct horse {n}"))
    made = [n for n, (status, _) in enumerate(found) if status == 200]
    expect(len(made) == 1, f"{len(made)} sign-ups of one address: {found}")
    for status, body in found:
        word = body.get("error", {}).get("message", "")
        expect(status == 200 or (status, word.split(" ")[0]) == (400, "EMAIL_EXISTS"), f"a sign-up: {status} {body}")
    return (email, f"correct horse {made[0]}") if made else None


def reused_code(email):
    """Of many uses of one code one succeeds."""
    call("accounts:sendOobCode", requestType="PASSWORD_RESET", email=email)
    got = answers(exchange(head("Connection: close", line="GET /emulator/v1/projects/local/oobCodes HTTP/1.1")))
    code = json.loads(got[0][1])["oobCodes"][-1]["oobCode"]
    found = at_once(5, lambda n: call("accounts:resetPassword", oobCode=code, newPassword=f"another horse {n}"))
    used = [n for n, (status, _) in enumerate(found) if status == 200]
    expect(len(used) == 1, f"{len(used)} uses of one code: {found}")
    return (email, f"another horse {used[0]}") if used else None


def hostile_round(number):
    tasks = [lambda body=body: refused(post(SIGN_UP.replace("signUp", "update"), body), f"a body {body[:40]!r}")
             for body in BODIES]
    tasks += [lambda path=path: refused(post(f"{path}?key=k", "{}"), f"a path {path[:40]}") for path in PATHS]
    tasks += [lambda name=name, data=data: refused(data, name) for name, data in SMUGGLED.items()]
    tasks += [flood, methods, lambda: long_body(False), lambda: long_body(True)]
    at_once(6, lambda n: [task() for task in tasks[n::6]])
    account = duplicate_sign_ups(number)
    return reused_code(account[0]) if EMULATOR and account else account


def memory():
    """Resident, in MiB."""
    with open(f"/proc/{PID}/status", encoding="utf-8") as status:
        return int(re.search(r"VmRSS:\s+([0-9]+) kB", status.read()).group(1)) / 1024


begun = time.monotonic()
# Requests that never end. They stay open during all rounds.
idle = [connect() for _ in range(100)]
for n, each in enumerate(idle):
    each.sendall(head("Content-Length: 100")[: 20 + n] if n % 2 else head("Content-Length: 100") + b'{"a')
accounts = [hostile_round(0)]
# The first rounds fill all caches and the threads' heaps.
readings = [memory()]
while time.monotonic() - begun < SECONDS or len(readings) < 6:
    accounts.append(hostile_round(len(readings)))
    readings.append(memory())
for each in idle:
    each.close()
for account in filter(None, accounts):
    status, body = call("accounts:signInWithPassword", email=account[0], password=account[1])
    expect(status == 200, f"{account[0]} is lost: {status} {body}")
limit = readings[2] * 1.15 + 8
expect(readings[-1] <= limit, f"memory in MiB: {readings}")
shown = ", ".join(f"{each:.0f}" for each in readings)
for fault in faults[:20]:
    print("fault:", fault)
print(f"{len(readings)} rounds in {time.monotonic() - begun:.0f} s; {len(faults)} faults; memory in MiB: {shown}")
sys.exit(1 if faults else 0)
