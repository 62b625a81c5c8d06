"""A fake of Google Cloud; README.md lists what it covers.

    python tests/gce/server PORT_FILE [WORLD.json]

Listens on a free port of loopback and writes it into PORT_FILE once it does.
"""

import http.server
import json
import os
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import discovery  # noqa: E402
from server import control, group_methods, identity, instance_methods, lookup_methods  # noqa: E402, F401
from server import resource_manager, template_methods, tokens  # noqa: E402, F401
from server.access import Access, settle  # noqa: E402
from server.clock import CLOCK  # noqa: E402
from server.cloud import LOCK  # noqa: E402


class Handler(http.server.BaseHTTPRequestHandler):
    """Keeps connections open, dates answers by Google's clock, and logs nothing."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    access = controls = None

    def log_message(self, *arguments):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(CLOCK.now() if timestamp is None else timestamp)

    def handle_one(self):
        split = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(split.path)
        query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        headers = {key.lower(): value for key, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length") or 0))
        said = control.answer(self.controls, self.command, path, query, body)
        if said is not None:
            return self.send(*said, "application/json")
        said = identity.answer_metadata(self.command, path, query, headers)
        if said is not None:
            return self.send(*said, {"Metadata-Flavor": "Google"})
        said = self.access.answer(self.command, path, query, headers, body)
        if said is None:
            return self.send(404, "<html><title>Error 404 (Not Found)!!1</title></html>", "text/html; charset=UTF-8")
        return self.send(said[0], json.dumps(said[1]), "application/json; charset=UTF-8")

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_one

    def send(self, status, text, kind, more=None):
        data = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def keep_going():
    """Does what is due also between requests, so that the history of each list has the times of the
    changes."""
    while True:
        time.sleep(0.05)
        with LOCK:
            settle()


def main(port_file, world=None):
    discovery.methods()
    server = Server(("127.0.0.1", 0), Handler)
    Handler.access = Access()
    Handler.access.url = f"http://127.0.0.1:{server.server_port}"
    Handler.controls = control.Control(Handler.access)
    if world is not None:
        with open(world, encoding="utf-8") as file:
            Handler.controls.world(**json.load(file))
    threading.Thread(target=keep_going, daemon=True).start()
    with open(port_file + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.server_port))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
