"""The state of the cloud: projects, and resources by their paths."""

import itertools
import random
import threading

from .places import last

LOCK = threading.RLock()
# Seconds. `operation`: from a request to the change; `launch`: until a group tries to create a
# machine that it wants; `boot`: from then until the machine is RUNNING; `verify`: until a new
# machine is verified; `delete`: until a deleted machine is gone; `suspend`: until a machine is
# suspended, stopped, resumed or started; `retry`: from a failed attempt to the next one. Delays of
# a single group are in "groups", under its name or id.
USUAL_DELAYS = {"operation": 0.0, "launch": 0.0, "boot": 0.0, "verify": 0.0, "delete": 0.0, "suspend": 0.0,
                "retry": 30.0}


class Cloud:
    """What a test has set, and what was made."""

    def __init__(self):
        self.projects = {"shop-prod": "123456789012"}  # number by id
        self.delays = dict(USUAL_DELAYS)
        self.lag = {}  # seconds by which lists are late: "groups", "managed", "instances"
        self.wait_seconds = 120.0  # how long operations.wait waits at most
        self.unreachable, self.unreachable_fails = [], False
        self.down = []  # zones whose status is DOWN
        self.groups, self.machines, self.templates, self.operations, self.images = {}, {}, {}, {}, {}
        self.past_groups, self.past_machines = [], []  # deleted ones, which a late list still shows
        self._numbers = itertools.count(random.randrange(10**18, 2 * 10**18), 7919)

    def number(self):
        """An id of Google's: an unsigned 64-bit integer as text."""
        return str(next(self._numbers))

    def delay(self, what, group=None):
        own = {}
        if group is not None:
            named = self.delays.get("groups", {})
            own = named.get(group.id_text) or named.get(group.name) or {}
        return float(own.get(what, self.delays.get(what, USUAL_DELAYS[what])))

    def late_by(self, what):
        return self.lag.get(what, 0.0)

    def find_groups(self, name):
        """The group with this id ("PROJECT/LOCATION/NAME"), or all groups with this name."""
        return [group for group in self.groups.values() if name in (group.id_text, group.name)]

    def find_machines(self, name):
        return [machine for machine in self.machines.values() if last(machine.path) == name]


CLOUD = Cloud()


def letters(count=4):
    return "".join(random.choice("0123456789bcdfghjklmnpqrstvwxz") for _ in range(count))
