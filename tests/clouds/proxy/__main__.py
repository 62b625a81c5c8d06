"""A proxy in front of a server that simulates a cloud; it injects the faults of networks and busy
services.

    python tests/clouds/proxy PORT_FILE http://127.0.0.1:PORT WIRE

Listens on a free port of loopback and writes it into PORT_FILE. It keeps connections open, as clouds do.
WIRE is a file of Python with the cloud's protocol (tests/aws/wire.py, tests/gce/wire.py):

    read_request(method, path, headers, body)   `service` and `action` of a request
    refusal(request, code, status, message)     content type, headers and body of an error
    once_more(body)                             the page with a token for one more page, "again";
                                                for the server that is the token of the first page

POST /proxy/rules takes [{fault, service, action, count, every, skip}] and replaces the previous
rules. The first rule that applies to a request is used (class Rule). `action` is a regular
expression: for AWS on the action's name, for Google Cloud on method and path ("POST
.*/createInstances"). GET /proxy/hits returns how often each rule has applied. Faults:

    error               a refusal with `code`, `status` and `message` in the cloud's form, such as throttling; the request is
                        not carried out
    html                status 500 with an HTML page
    delay               the reply is `seconds` late
    hang                no reply, and the connection is closed after `seconds`
    half_open           no reply, and the connection stays open for `seconds` (default: an hour)
    hang_after          the request is carried out; no reply, and the connection is closed after `seconds`
    reset, reset_after  the connection is reset before the request is passed on; after it was carried out
    truncated, cut      half of a body with the length of the half; half of a body, then the connection ends
    skew                the header Date is off by `seconds`
    looping_token       one more page, which is the first one again: with `count` 1 a page is repeated once, without `count`
                        forever

Lists that lag, a skewed clock and expired sessions are faults of the server (`lag`, `time`, `expire`), which knows the
earlier state.
"""

import asyncio
import email.utils
import importlib.util
import json
import os
import re
import socket
import struct
import sys
import time
import urllib.parse

KNOWN = {"error", "html", "delay", "hang", "hang_after", "half_open", "reset", "reset_after", "truncated", "cut",
         "skew", "looping_token"}


class Rule:
    """Of the requests that match, the first `skip` are left alone. Of the others the rule strikes
    every `every`-th, at most `count` in all (0: without a limit)."""

    def __init__(self, fault, service="", action="", count=0, every=1, skip=0, seconds=0.0, code="",
                 status=400, message="Rate exceeded"):
        if fault not in KNOWN:
            raise ValueError(f"there is no fault {fault}; there are {', '.join(sorted(KNOWN))}")
        self.fault, self.service, self.action = fault, service, action
        self.count, self.every, self.skip = count, every, skip
        self.seconds, self.code, self.status, self.message = seconds, code, status, message
        self.seen = self.hits = 0

    def strikes(self, request):
        if (self.service and self.service != request["service"]) or \
                (self.action and not re.fullmatch(self.action, request["action"])):
            return False
        self.seen += 1
        if self.seen <= self.skip or (self.seen - self.skip) % self.every or (self.count and self.hits >= self.count):
            return False
        self.hits += 1
        return True


class Message:
    """A request or an answer: its first line, headers and body."""

    def __init__(self, line, headers, body):
        self.line, self.headers, self.body = line, headers, body

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name), "")

    def set(self, name, value):
        self.headers = [(key, old) for key, old in self.headers if key.lower() != name.lower()] + [(name, value)]

    def bytes(self):
        head = "".join(f"{key}: {value}\r\n" for key, value in self.headers)
        return f"{self.line}\r\n{head}\r\n".encode("latin-1") + self.body


async def read_message(reader):
    """The next message; None at the end of the connection."""
    line = (await reader.readline()).decode("latin-1").strip()
    if not line:
        return None
    headers = []
    while header := (await reader.readline()).decode("latin-1").strip():
        key, _, value = header.partition(":")
        headers.append((key, value.strip()))
    out = Message(line, headers, b"")
    length = out.header("content-length")
    if length:
        out.body = await reader.readexactly(int(length))
    elif line.startswith("HTTP/"):
        out.body = await reader.read()
    return out


def made(status, type_, body, headers=()):
    data = body.encode()
    return Message(f"HTTP/1.1 {status} Said", [("Content-Type", type_), ("Content-Length", str(len(data))),
                                               ("Date", email.utils.formatdate(usegmt=True)), *headers], data)


class Proxy:
    def __init__(self, upstream, wire):
        parts = urllib.parse.urlsplit(upstream)
        self.upstream, self.wire = (parts.hostname, parts.port), wire
        self.rules = []

    async def serve(self, reader, writer):
        try:
            while (request := await read_message(reader)) is not None:
                if not await self.answer(request, writer):
                    return
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def rule_for(self, request):
        method, path, _ = request.line.split(" ", 2)
        headers = {key.lower(): value for key, value in request.headers}
        described = self.wire.read_request(method, path, headers, request.body)
        for rule in self.rules:
            if rule.strikes(described):
                return rule, described
        return None, described

    async def answer(self, request, writer):
        """Answers a request. Returns whether the connection stays open."""
        path = request.line.split(" ")[1]
        if path.startswith("/proxy/"):
            writer.write(self.control(path, request.body).bytes())
            return True
        rule, described = self.rule_for(request)
        fault = rule.fault if rule else ""
        if fault in ("delay", "hang"):
            await asyncio.sleep(rule.seconds)
            if fault == "hang":
                return False
        if fault == "half_open":  # as if the peer had vanished without closing the connection
            await asyncio.sleep(rule.seconds or 3600)
            return False
        if fault == "reset":
            return reset(writer)
        if fault == "error":
            type_, headers, body = self.wire.refusal(described, rule.code, rule.status, rule.message)
            writer.write(made(rule.status, type_, body, headers.items()).bytes())
            return True
        if fault == "html":
            writer.write(made(500, "text/html", "<html><body><h1>Internal Server Error</h1></body></html>").bytes())
            return True
        reply = await self.forward(request)
        if fault == "hang_after":
            await asyncio.sleep(rule.seconds)
            return False
        if fault == "reset_after":  # the request was carried out, and the reply is lost
            return reset(writer)
        if fault == "looping_token":
            reply.body = self.wire.once_more(reply.body)
        return write_reply(reply, rule, writer)

    async def forward(self, request):
        request.set("Connection", "close")
        reader, writer = await asyncio.open_connection(*self.upstream)
        try:
            writer.write(request.bytes())
            await writer.drain()
            return await read_message(reader)
        finally:
            writer.close()

    def control(self, path, body):
        try:
            if path == "/proxy/rules":
                self.rules = [Rule(**rule) for rule in json.loads(body or b"[]")]
                return made(200, "application/json", "{}")
            if path == "/proxy/hits":
                return made(200, "application/json", json.dumps([rule.hits for rule in self.rules]))
            return made(404, "application/json", "{}")
        except (TypeError, ValueError) as error:
            return made(400, "application/json", json.dumps({"error": str(error)}))


def reset(writer):
    """Resets the connection (TCP RST)."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


def write_reply(reply, rule, writer):
    fault = rule.fault if rule else ""
    reply.headers = [(key, value) for key, value in reply.headers if key.lower() != "connection"]
    if fault == "skew":
        reply.set("Date", email.utils.formatdate(time.time() + rule.seconds, usegmt=True))
    if fault == "truncated":
        reply.body = reply.body[: len(reply.body) // 2]
    if fault == "cut":
        whole = reply.bytes()
        writer.write(whole[: len(whole) - max(1, len(reply.body) // 2)])
        return False
    reply.set("Content-Length", str(len(reply.body)))
    writer.write(reply.bytes())
    return True


def load(path):
    spec = importlib.util.spec_from_file_location("wire", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def main(port_file, upstream, wire):
    server = await asyncio.start_server(Proxy(upstream, load(wire)).serve, "127.0.0.1", 0)
    with open(port_file + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
