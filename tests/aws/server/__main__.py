"""moto's server, made more like AWS; README.md lists the differences.

    python tests/aws/server PORT_FILE [WORLD.json]

Listens on a free port of loopback and writes it into PORT_FILE once it does.
"""

import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("MOTO_ALLOW_NONEXISTENT_REGION", "true")

from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

from server import access, answers, control, groups, identity  # noqa: E402
from server.clock import CLOCK  # noqa: E402
from server.events import RECLAIMS  # noqa: E402


class Handler(MotoRequestHandler):
    """Keeps connections open, dates answers by AWS's clock, and logs only errors."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def date_time_string(self, timestamp=None):
        return super().date_time_string(CLOCK.now() if timestamp is None else timestamp)

    def log(self, type, message, *arguments):  # noqa: A002
        if type == "error":
            super().log(type, message, *arguments)

    def log_request(self, code="-", size="-"):
        pass


class Application:
    def __init__(self):
        moto = DomainDispatcherApplication(create_backend_app)
        self.access = access.Access(moto)
        self.control = control.Control(self.access)

    def __call__(self, environ, start_response):
        said = control.answer(self.control, environ) or identity.answer_metadata(environ)
        if said is None:
            return self.access(environ, start_response)
        status, text = said
        out = text.encode()
        start_response(f"{status} Said", [("Content-Type", "application/json"), ("Content-Length", str(len(out)))])
        return [out]


def keep_going():
    """Does what is due also between requests, so that the history of each list has the times of the
    changes."""
    while True:
        time.sleep(0.05)
        with access.LOCK:
            RECLAIMS.carry_out()
            groups.reconcile_all()


def main(port_file, world=None):
    for part in (groups, answers, identity):
        part.install()
    application = Application()
    if world is not None:
        with open(world, encoding="utf-8") as file:
            application.control.world(**json.load(file))
    threading.Thread(target=keep_going, daemon=True).start()
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Handler)
    server.daemon_threads = True
    with open(port_file + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.port))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
