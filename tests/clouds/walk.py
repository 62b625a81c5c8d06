"""Shows Capstan with groups of a cloud that a server simulates: what `./dev aws` and `./dev gce`
run.

Starts the cloud's server, and `capstan cluster --run` with the cloud's walk/story.toml. Prints each
change of the groups, as the cloud lists them. The folder gets the kubeconfig and the configuration.
Ends when the cluster ends, with its exit code, or with 1 instead of 0 if no group has grown. If a
Python package is missing, exits with 77, in CI with 1.
"""

import ctypes
import dataclasses
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import typing
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
CAPSTAN = "build/release/bin/capstan"


@dataclasses.dataclass
class Cloud:
    name: str  # "aws"
    prefix: str  # of providerIDs
    package: str  # of Python, which the server needs
    folder: pathlib.Path  # with `server` and `walk/story.toml`; there SERVER becomes the server's URL, AUTHORITY its address
    world: dict  # as the server takes it
    # Of the replies to `groups` and `machines`: by name of group, how many machines it wants, and
    # how many run.
    sizes: typing.Callable
    sentence: str  # "AWS: group {name}: {wanted} desired, {running} in service"


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start(command, **options):
    return subprocess.Popen(command, preexec_fn=die_with_parent, **options)


def wait_for(path, process):
    """Waits until a program has written the file. False if the program ended before."""
    while not path.exists() or not path.read_text(encoding="utf-8"):
        if process.poll() is not None:
            return False
        time.sleep(0.05)
    return True


def ask(server, word):
    with urllib.request.urlopen(f"{server}/control/{word}", timeout=5) as answer:
        return json.load(answer)


def tell(cloud, before, now):
    for name, (wanted, running) in sorted(now.items()):
        if before.get(name) != (wanted, running):
            print("   " + cloud.sentence.format(name=name, wanted=wanted, running=running), flush=True)


def follow(cloud, server, cluster):
    """Prints changes of the groups until the cluster ends. Returns the largest number of machines
    that ran at a time."""
    said, most = {}, 0
    while cluster.poll() is None:
        try:
            now = cloud.sizes(ask(server, "groups"), ask(server, "machines"))
            tell(cloud, said, now)
            said, most = now, max(most, sum(running for _, running in now.values()))
        except (urllib.error.URLError, OSError):
            pass  # the next round tries again
        time.sleep(0.5)
    return most


def start_server(cloud, folder, log):
    """Starts the server, and returns its URL."""
    port, world = folder / "server.port", folder / "world.json"
    port.unlink(missing_ok=True)
    world.write_text(json.dumps(cloud.world), encoding="utf-8")
    process = start([sys.executable, cloud.folder / "server", port, world], stdout=log, stderr=log)
    if not wait_for(port, process):
        sys.exit(f"the server does not come up: {log.name} says why")
    return f"http://127.0.0.1:{port.read_text(encoding='utf-8')}"


def show(cloud, folder, options):
    if importlib.util.find_spec(cloud.package) is None:
        print(f"there is no {cloud.package}: ./dev packages test installs it", file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kubeconfig").unlink(missing_ok=True)
    log = (folder / "server.log").open("w", encoding="utf-8")
    server = start_server(cloud, folder, log)
    story = (cloud.folder / "walk/story.toml").read_text(encoding="utf-8").replace("SERVER", server)
    story = story.replace("AUTHORITY", server.removeprefix("http://"))
    (folder / "story.toml").write_text(story, encoding="utf-8")
    cluster = start([CAPSTAN, "cluster", folder / "story.toml", "--run", "--dir", folder, *options])
    if wait_for(folder / "kubeconfig", cluster):
        start([sys.executable, HERE / "joiner", folder / "kubeconfig", server, cloud.prefix], stdout=log, stderr=log)
        try:
            if follow(cloud, server, cluster) == 0:
                sys.exit(cluster.wait() or 1)
        except KeyboardInterrupt:
            pass  # the cluster has received the signal, too
    sys.exit(cluster.wait())


def main(cloud, arguments):
    """`arguments`: [FOLDER] [-- OPTION...]; options are those of `capstan cluster`."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    with tempfile.TemporaryDirectory(prefix=f"capstan-{cloud.name}-") as temporary:
        show(cloud, pathlib.Path(arguments[0] if at > 0 else temporary), arguments[at + 1:])
