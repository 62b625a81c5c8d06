"""A managed instance group: its configuration and target, its machines, and what lists show of
it."""

import collections
import copy

from .cloud import CLOUD, letters
from .clock import CLOCK
from .distribution import MEMORY, choose_leaving, choose_zone
from .member import HISTORY, Member
from .places import REGIONS, last, link, path_of

# Counters of `currentActions`, by action.
COUNTERS = {"ABANDONING": "abandoning", "CREATING": "creating", "CREATING_WITHOUT_RETRIES": "creatingWithoutRetries",
            "DELETING": "deleting", "NONE": "none", "RECREATING": "recreating", "REFRESHING": "refreshing",
            "RESTARTING": "restarting", "RESUMING": "resuming", "STARTING": "starting", "STOPPING": "stopping",
            "SUSPENDING": "suspending", "VERIFYING": "verifying"}
# Fields that are stored as they were written.
KEPT = ("description", "baseInstanceName", "versions", "updatePolicy", "distributionPolicy", "statefulPolicy",
        "autoHealingPolicies", "namedPorts", "instanceFlexibilityPolicy", "standbyPolicy", "instanceLifecyclePolicy",
        "listManagedInstancesResults", "targetPools", "allInstancesConfig")


class Group:
    def __init__(self, project, scope, body):
        self.project, self.scope, self.name = project, scope, body["name"]
        self.path = f"projects/{project}/{scope}/instanceGroupManagers/{self.name}"
        self.id_text = f"{project}/{last(scope)}/{self.name}"
        self.id, self.created = CLOUD.number(), CLOCK.moment()
        self.wanted = {}
        self.target_size = self.target_suspended = self.target_stopped = 0
        self.members, self.numbers = {}, 0
        self.autoscaler, self.tries_again = "", True
        self.stock_outs = {}  # by zone: the time of the last stock-out
        self.is_going = False
        self.history = collections.deque()
        self.is_changed = True
        self.merge(body)

    def merge(self, body):
        """Merges fields as `patch` does; null removes a field."""
        for key in KEPT:
            if key in body:
                self.wanted[key] = merged(self.wanted.get(key), body[key])
        for version in self.wanted.get("versions", []):
            version["instanceTemplate"] = link(path_of(version["instanceTemplate"], self.project,
                                                       field="resource.versions[0].instanceTemplate"))
        self.template_path = path_of(body.get("instanceTemplate") or self._first_version() or self.template_path,
                                     self.project, field="resource.instanceTemplate")
        self.is_changed = True

    def _first_version(self):
        versions = self.wanted.get("versions") or []
        return versions[0].get("instanceTemplate") if versions else None

    def delay(self, what):
        return CLOUD.delay(what, self)

    def properties(self):
        """The properties of the template; empty if it was deleted."""
        template = CLOUD.templates.get(self.template_path)
        return template["properties"] if template else {}

    @property
    def is_regional(self):
        return self.scope.startswith("regions/")

    @property
    def base(self):
        return self.wanted.get("baseInstanceName") or self.name[:58]

    @property
    def zones(self):
        if not self.is_regional:
            return [last(self.scope)]
        chosen = [last(each["zone"]) for each in self.wanted.get("distributionPolicy", {}).get("zones", [])]
        return chosen or REGIONS[last(self.scope)][:3]

    @property
    def shape(self):
        return self.wanted.get("distributionPolicy", {}).get("targetShape", "EVEN") if self.is_regional else ""

    @property
    def counting(self):
        return [member for member in self.members.values() if member.counts]

    # Changes that are due.

    def reconcile(self):
        now = CLOCK.monotonic()
        for member in [each for each in self.members.values() if each.due is not None and each.due <= now]:
            self.is_changed = member.step(now) or self.is_changed
        if self.is_going and not self.members:
            CLOUD.groups.pop(self.path, None)
            CLOUD.past_groups.append(self)
            self.is_changed = True
        if self.is_changed:
            self.is_changed = False
            self._remember(now)

    def drop(self, member):
        self.members.pop(member.path, None)

    # Changes that are requested.

    def next_zone(self):
        if not self.is_regional:
            return self.zones[0]
        now = CLOCK.monotonic()
        counts = collections.Counter(member.zone for member in self.members.values() if not member.is_leaving)
        avoided = {zone for zone, at in self.stock_outs.items() if now - at < MEMORY}
        return choose_zone(self.shape, self.zones, counts, avoided)

    def add(self, name=None):
        if name is None:
            taken = {member.name for member in self.members.values()}
            name = next(each for each in iter(lambda: f"{self.base}-{letters()}", None) if each not in taken)
        self.numbers += 1
        member = Member(self, name, self.next_zone(), self.numbers,
                        "CREATING" if self.tries_again else "CREATING_WITHOUT_RETRIES")
        self.members[member.path] = member
        self.is_changed = True

    def create(self, names):
        self.target_size += len(names)
        for name in names:
            self.add(name)

    def resize(self, size):
        self.target_size = size
        while len(self.counting) < size:
            self.add()
        while len(self.counting) > size:
            choose_leaving(self.counting).delete()
        self.is_changed = True

    def take_out(self, members, abandon=False):
        """deleteInstances and abandonInstances: each member lowers the target by one."""
        for member in members:
            if member.target == "SUSPENDED":
                self.target_suspended -= 1
            elif member.target == "STOPPED":
                self.target_stopped -= 1
            else:
                self.target_size -= 1
            (member.abandon if abandon else member.delete)()
        self.is_changed = True

    def change(self, members, action):
        """suspendInstances, stopInstances, resumeInstances, startInstances."""
        status, target, suspended, stopped = {
            "SUSPENDING": ("SUSPENDING", "SUSPENDED", 1, 0), "STOPPING": ("STOPPING", "STOPPED", 0, 1),
            "RESUMING": ("PROVISIONING", "RUNNING", -1, 0), "STARTING": ("STAGING", "RUNNING", 0, -1)}[action]
        for member in members:
            member.change(action, status, target)
            self.target_suspended += suspended
            self.target_stopped += stopped
            self.target_size -= suspended + stopped
        self.is_changed = True

    def recreate(self, members, notice=0.0):
        for member in members:
            member.recreate(notice)
        self.is_changed = True

    def remove(self):
        """Deletes the group once its machines are gone."""
        self.is_going, self.target_size = True, 0
        for member in self.members.values():
            if not member.is_leaving:
                member.delete()
        self.is_changed = True

    # What replies show.

    @property
    def is_stable(self):
        return all(member.action == "NONE" for member in self.members.values())

    def row(self):
        kind = "region" if self.is_regional else "zone"
        where = f"projects/{self.project}/{self.scope}"
        out = {
            "kind": "compute#instanceGroupManager", "id": self.id, "creationTimestamp": self.created,
            "name": self.name, kind: link(where), "instanceTemplate": link(self.template_path),
            "versions": [{"instanceTemplate": link(self.template_path)}],
            "instanceGroup": link(f"{where}/instanceGroups/{self.name}"), "baseInstanceName": self.base,
            "fingerprint": "c2hvcA==", "currentActions": self._counters(), "targetSize": self.target_size,
            "targetSuspendedSize": self.target_suspended, "targetStoppedSize": self.target_stopped,
            "listManagedInstancesResults": "PAGELESS", "selfLink": link(self.path),
            "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE", "replacementMethod": "SUBSTITUTE",
                             "maxSurge": {"fixed": 1, "calculated": 1},
                             "maxUnavailable": {"fixed": 1, "calculated": 1}},
            **copy.deepcopy(self.wanted), "status": self._status(),
        }
        out["updatePolicy"] = {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE",
                               "replacementMethod": "SUBSTITUTE", **out["updatePolicy"]}
        if self.is_regional:
            out["updatePolicy"].setdefault("instanceRedistributionType", "PROACTIVE")
            out["distributionPolicy"] = {"targetShape": self.shape, "zones": [
                {"zone": link(f"projects/{self.project}/zones/{zone}")} for zone in self.zones]}
        return out

    def _counters(self):
        counts = collections.Counter(member.action for member in self.members.values())
        return {counter: counts[action] for action, counter in COUNTERS.items()}

    def _status(self):
        stateful = bool(self.wanted.get("statefulPolicy", {}).get("preservedState"))
        out = {"isStable": self.is_stable, "versionTarget": {"isReached": self.is_stable},
               "stateful": {"hasStatefulConfig": stateful,
                            "perInstanceConfigs": {"allEffective": True}}}
        if self.autoscaler:
            out["autoscaler"] = link(self.autoscaler)
        return out

    def _remember(self, now):
        view = None if self.path not in CLOUD.groups else (
            self.row(), [member.row() for member in self.members.values()])
        self.history.append((now, view))
        while len(self.history) > 1 and self.history[1][0] < now - HISTORY:
            self.history.popleft()

    def seen(self, what):
        """Its row and those of its machines, as they were `lag` seconds ago; None if it did not
        exist then."""
        latest = CLOCK.monotonic() - CLOUD.late_by(what)
        for at, view in reversed(self.history):
            if at <= latest:
                return view
        return None


def merged(old, new):
    """A JSON merge patch."""
    if not isinstance(new, dict) or not isinstance(old, dict):
        return new
    out = {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}
    return {key: value for key, value in out.items() if value is not None}


def reconcile_all():
    """Carries out what is due by now in all groups."""
    for group in list(CLOUD.groups.values()):
        group.reconcile()
    if CLOUD.past_groups:
        oldest = CLOCK.monotonic() - HISTORY
        CLOUD.past_groups = [group for group in CLOUD.past_groups if group.history[-1][0] >= oldest]


def listed_groups():
    """All groups, and deleted ones that a late list still shows."""
    return [*CLOUD.groups.values(), *CLOUD.past_groups]
