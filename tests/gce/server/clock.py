"""Google's clock, which a test may put forward or back."""

import datetime
import time

PACIFIC = datetime.timezone(datetime.timedelta(hours=-8))  # the time zone of compute's timestamps


class Clock:
    """`offset` is how far Google's clock is ahead of the machine's. `advance` also moves the clock
    of delays."""

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
        """As compute writes it: 2026-11-26T00:27:51.123-08:00."""
        return datetime.datetime.fromtimestamp(self.now(), PACIFIC).isoformat(timespec="milliseconds")

    def text(self, after=0.0):
        """As the other services write it: 2026-11-26T08:27:51Z."""
        at = datetime.datetime.fromtimestamp(self.now() + after, datetime.timezone.utc)
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")


CLOCK = Clock()
