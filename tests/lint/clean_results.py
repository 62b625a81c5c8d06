"""Remembers the batches in which a linter found nothing.

A batch is identified by its preprocessed text, comments included, so the results serve every
checkout. They are empty files in $XDG_CACHE_HOME/capstan/lint, or ~/.cache/capstan/lint. A file
that no run used for 30 days is deleted.
"""
import hashlib
import json
import os
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MONTH = 30 * 24 * 3600


def sha256(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class CleanResults:
    """The inputs in which `linter` found nothing. `rules` is all that its findings depend on
    besides the input."""

    def __init__(self, linter, *rules):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.folder = cache / "capstan/lint" / linter
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rules = rules
        for file in self.folder.iterdir():
            if time.time() - file.stat().st_mtime > MONTH:
                file.unlink(missing_ok=True)

    def file_of(self, digest):
        return self.folder / sha256(*self.rules, digest)

    def contains(self, digest):
        """False for the digest None, which a batch has if it cannot be preprocessed."""
        if not digest or not self.file_of(digest).exists():
            return False
        self.file_of(digest).touch()
        return True

    def add(self, digest):
        if digest:
            self.file_of(digest).touch()


def read_batches(build):
    """By batch: the arguments of its compile command, without outputs, and the folder in which the
    command runs."""
    batches = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if "/Unity/unity_" not in entry["file"]:
            continue
        words = iter(shlex.split(entry["command"])[1:])
        kept = []
        for word in words:
            if word in ("-o", "-MF", "-MT", "-MQ"):
                next(words)
            elif word not in ("-c", "-MD", "-MMD"):
                kept.append(word)
        batches[entry["file"]] = (kept, entry["directory"])
    return batches


def digest_of(root, command, folder):
    made = subprocess.run(["clang++-19", *command, "-E", "-C", "-w", "-Wno-error"], cwd=folder, capture_output=True)
    if made.returncode != 0:
        return None
    # The digest must not depend on the path of the checkout.
    return hashlib.sha256(made.stdout.replace(str(root).encode(), b".")).hexdigest()


def digests_of(root, batches, jobs):
    """Digest by batch, of what read_batches returned or a part of it."""
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(batches, pool.map(lambda batch: digest_of(root, *batches[batch]), batches)))
