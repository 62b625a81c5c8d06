"""AWS's clock, which a test may put forward or back."""

import datetime
import time


class Clock:
    """`offset` is how far AWS's clock is ahead of the machine's. `advance` also moves the clock of
    delays."""

    def __init__(self):
        self.offset = 0.0
        self._advanced = 0.0

    def advance(self, seconds):
        self._advanced += seconds

    def monotonic(self):
        """Seconds by which delays are counted; a changed offset does not touch them."""
        return time.monotonic() + self._advanced

    def now(self):
        return time.time() + self._advanced + self.offset

    def moment(self):
        return datetime.datetime.fromtimestamp(self.now(), datetime.timezone.utc)

    def text(self):
        """As AWS writes moments into sentences: 2026-11-26T05:00:00Z."""
        return self.moment().strftime("%Y-%m-%dT%H:%M:%SZ")


CLOCK = Clock()
