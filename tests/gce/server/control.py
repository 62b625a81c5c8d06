"""The control interface of the tests: POST /control/WORD with a JSON value, GET /control/WORD; replies are JSON.

A world is a JSON object of these words. Words that are posted:

    reset               restore the initial state
    world               all of the words below at once
    projects            numbers by id; the first is that of the machine on which Capstan runs
    calls               Google's own methods, [[method, parameters, body]]: allowed, not recorded; an operation is done before
                        the next call
    types, images       machine types that are offered; images of a project
    delays              seconds that operations, creation, boot and deletion take; of one group in `groups`
    capacity            [{limit, group, zone, type, spot, code, message}]: at most `limit` of the machines that match
    lag                 by how many seconds lists are late
    time                `offset`: how far Google's clock is ahead; `advance`: what is due by then is due now
    wait                how many seconds `operations.wait` waits at most
    unreachable, down   places that lists do not reach; zones and regions whose status is DOWN
    failures            operations that end with an error, by method
    refusals            calls that are refused with rateLimitExceeded, as 403 or 429
    identities, policy, enforce, disabled, expire
                        accounts and their permissions; whether they count; services whose API is off; tokens that end
    preempt, action     a machine that compute takes back; set a current action
    group               an autoscaler that sizes a group; whether creation is retried

Words that are read: calls (with `after`), violations (of the discovery documents), groups, machines, templates, key (the key
file of a service account), and nodes for the joiner.
"""

import json

from . import machines, nodes, operations
from .access import settle
from .capacity import CAPACITY
from .catalog import OFFERED
from .clock import CLOCK
from .cloud import CLOUD, LOCK, USUAL_DELAYS
from .identity import IDENTITIES
from .instance_methods import lose
from .places import scope_of
from .refusal import Refusal


class Control:
    def __init__(self, access):
        self.access = access

    # Words that are posted.

    def reset(self):
        """As after the start: nothing is there, nobody is known, Google's clock is the machine's."""
        for value in (CLOUD, CAPACITY, CLOCK, IDENTITIES, OFFERED, operations.FAILURES):
            value.__init__()
        self.access.reset()
        return {}

    def world(self, **wanted):
        """Sets all at once: each key is one of the words below. What exists already stays."""
        first = ("projects", "types", "images", "delays", "identities", "capacity", "calls")
        for word in [*first, *(each for each in wanted if each not in first)]:
            if word in wanted:
                self.say(word, wanted[word])
        return {}

    def say(self, word, value):
        function = getattr(self, word)
        return function(value) if word in PLAIN or not isinstance(value, dict) else function(**value)

    def projects(self, numbers):
        """Numbers by id. The first is that of the machine that the metadata server describes."""
        CLOUD.projects = dict(numbers)
        return {}

    def calls(self, calls):
        """[method id, parameters, body]: allowed, not recorded; an operation is done before the next call."""
        for method, parameters, *body in calls:
            self.call(method, parameters, body[0] if body else None)
        return {}

    def call(self, method, parameters, body=None):
        try:
            answer = self.access.trusted(method, parameters, body)
        except Refusal as refusal:
            raise ValueError(f"{method}: {refusal.code} {refusal.message}") from None
        operation = CLOUD.operations.get(f"projects/{parameters.get('project')}/{scope_of(parameters)}/operations/"
                                         f"{answer.get('name')}")
        if operation is not None:
            operation.due = CLOCK.monotonic()
            settle()
            if operation.error is not None:
                raise ValueError(f"{method}: {operation.error}")
        return answer

    def types(self, names):
        OFFERED.offer(names)
        return {}

    def images(self, images):
        """[{"project", "name", "family", "architecture", "size_gb", "features"}]."""
        for each in images:
            CLOUD.images.setdefault(each["project"], []).append(each)
        return {}

    def delays(self, delays):
        unknown = set(delays) - set(USUAL_DELAYS) - {"groups"}
        if unknown:
            raise ValueError(f"there is no delay {', '.join(sorted(unknown))}")
        CLOUD.delays = delays
        return {}

    def capacity(self, pools):
        CAPACITY.set(pools)
        return {}

    def lag(self, seconds):
        """A number: of all lists; or by list: "groups", "managed", "instances"."""
        CLOUD.lag = seconds if isinstance(seconds, dict) else dict.fromkeys(("groups", "managed", "instances"), seconds)
        return {}

    def time(self, offset=None, advance=0.0):
        """`offset`: how far Google's clock is ahead; `advance`: what is due by then is due now."""
        if offset is not None:
            CLOCK.offset = float(offset)
        CLOCK.advance(float(advance))
        return {"now": CLOCK.text()}

    def wait(self, seconds):
        """How long operations.wait waits at most."""
        CLOUD.wait_seconds = float(seconds)
        return {}

    def unreachable(self, scopes, fails=False):
        """Scopes that lists do not reach: ["zones/us-central1-a"]. `fails`: aggregated lists fail as a whole."""
        CLOUD.unreachable, CLOUD.unreachable_fails = list(scopes), bool(fails)
        return {}

    def down(self, places):
        """Zones and regions whose status is DOWN."""
        CLOUD.down = list(places)
        return {}

    def failures(self, rules):
        """[{"method", "count", "code", "message", "status", "reason"}]: operations that end with an error."""
        operations.FAILURES.rules = [dict(rule) for rule in rules]
        return {}

    def refusals(self, rules):
        """[{"method", "count", "status"}]: calls that are refused with rateLimitExceeded, as 403 or 429."""
        self.access.refusals = [dict(rule) for rule in rules]
        return {}

    def identities(self, wanted):
        IDENTITIES.add(wanted)
        return {}

    def policy(self, name, permissions=(), roles=()):
        """Replaces the permissions of a principal."""
        IDENTITIES.set(name, permissions, roles)
        return {}

    def enforce(self, on):
        self.access.is_enforcing = bool(on)
        return {}

    def disabled(self, services):
        """Services whose API is disabled: ["cloudresourcemanager.googleapis.com"]."""
        self.access.disabled = list(services)
        return {}

    def expire(self, token=""):
        """Ends a token; "" ends all so far."""
        return {"ended": IDENTITIES.expire(token)}

    def preempt(self, instance, notice=0.0):
        """Compute takes a machine back after `notice` seconds, and its group recreates it."""
        return self.of_machines(instance, lambda machine: lose(machine, notice=float(notice)))

    def of_machines(self, name, function):
        found = CLOUD.find_machines(name)
        if not found:
            raise ValueError(f"there is no machine {name}")
        for machine in found:
            function(machine)
        return {"machines": len(found)}

    def action(self, instance, action, status=None):
        """Sets the current action of a machine, and its status, and cancels what was due."""
        found = [member for group in CLOUD.groups.values() for member in group.members.values()
                 if member.name == instance]
        if not found:
            raise ValueError(f"no group has a machine {instance}")
        for member in found:
            member.action, member.due, member.group.is_changed = action, None, True
            if status is not None and member.machine is not None:
                member.machine.set(status, CLOCK.monotonic())
        return {}

    def group(self, name, autoscaler=None, retries=None):
        """`autoscaler`: the autoscaler that sizes the group, "" for none; `retries`: whether failed
        creations are retried."""
        for group in CLOUD.find_groups(name):
            if autoscaler is not None:
                where = f"projects/{group.project}/{group.scope}"
                group.autoscaler = f"{where}/autoscalers/{autoscaler}" if autoscaler else ""
            if retries is not None:
                group.tries_again = bool(retries)
            group.is_changed = True
        return {"groups": len(CLOUD.find_groups(name))}

    # Words that are read.

    def get_calls(self, after="0"):
        return [call for call in self.access.calls if call["number"] > int(after)]

    def get_violations(self):
        return self.access.violations

    def get_groups(self):
        return machines.groups()

    def get_machines(self):
        return machines.machines()

    def get_nodes(self):
        """What kubelet would report about the machines that exist, for the joiner."""
        return nodes.nodes_of(machines.machines())

    def get_key(self, email, url=""):
        """A key file of a service account; `url`: the server with the token endpoint, by default
        this one."""
        return IDENTITIES.key_file(email, url or self.access.url)

    def get_templates(self):
        return {path: row["properties"] for path, row in CLOUD.templates.items()}


# Words that take the JSON value itself.
PLAIN = {"projects", "calls", "types", "images", "delays", "capacity", "lag", "wait", "down", "failures", "refusals",
         "identities", "enforce", "disabled"}


def answer(control, method, path, query, body):
    """Status and JSON; None if it is no control request."""
    if not path.startswith("/control/"):
        return None
    word = path.removeprefix("/control/")
    try:
        with LOCK:
            settle()
            if method == "GET":
                out = getattr(control, f"get_{word}")(**query)
            else:
                value = json.loads(body or b"{}")
                out = getattr(control, word)(value) if word in PLAIN else getattr(control, word)(**value)
            settle()
            return 200, json.dumps(out, default=str)
    except Exception as error:  # the test has sent an invalid request
        return 400, json.dumps({"error": f"{word}: {type(error).__name__}: {error}"})
