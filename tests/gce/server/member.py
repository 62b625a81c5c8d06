"""A member of a group: a machine from its request to its end.

    CREATING   no machine -> (launch) -> PROVISIONING -> STAGING -> RUNNING, then VERIFYING or NONE
               without capacity no machine: `lastAttempt` has the reason, and the creation is
               retried (retry)
    RECREATING STOPPING -> gone -> as CREATING, with the same name and another id
    DELETING, ABANDONING   -> no longer in the group
    SUSPENDING -> SUSPENDED, STOPPING -> TERMINATED, RESUMING and STARTING -> RUNNING
"""

from .capacity import CAPACITY, STOCK_OUT, Launch
from .cloud import CLOUD
from .clock import CLOCK
from .places import link

CREATING = ("CREATING", "CREATING_WITHOUT_RETRIES", "RECREATING")
LEAVING = ("DELETING", "ABANDONING")
HISTORY = 600.0  # the most seconds by which lists may be late
SHORTEST = 0.05  # seconds until a retry; without a delay the loop of retries would not end


class Machine:
    """An instance of compute, of a group or abandoned by it."""

    def __init__(self, member, group):
        self.path = f"projects/{group.project}/zones/{member.zone}/instances/{member.name}"
        self.id, self.name, self.zone = CLOUD.number(), member.name, member.zone
        self.launch, self.properties = member.launch(), member.properties
        self.status, self.created = "PROVISIONING", CLOCK.moment()
        self.created_by = group.path
        self.history = []  # (moment, status); "" is an end

    def set(self, status, at):
        self.status = status
        self.history.append((at, status))

    def status_at(self, moment):
        """The status at a time; "" if the machine did not exist."""
        return next((status for at, status in reversed(self.history) if at <= moment), "")


class Member:
    def __init__(self, group, name, zone, number, action="CREATING"):
        self.group, self.name, self.zone, self.number = group, name, zone, number
        self.action, self.target = action, "RUNNING"
        self.template, self.properties = group.template_path, group.properties()
        self.errors, self.machine = [], None
        self.due = CLOCK.monotonic() + group.delay("launch")

    @property
    def path(self):
        return f"projects/{self.group.project}/zones/{self.zone}/instances/{self.name}"

    @property
    def is_leaving(self):
        return self.action in LEAVING

    @property
    def counts(self):
        """Whether the member counts towards the target size."""
        return not self.is_leaving and self.target == "RUNNING"

    def launch(self):
        scheduling = self.properties.get("scheduling", {})
        return Launch(self.group.project, self.group.id_text, self.zone,
                      self.properties.get("machineType", "").rsplit("/", 1)[-1],
                      scheduling.get("provisioningModel") == "SPOT" or bool(scheduling.get("preemptible")), self.name)

    # Changes that are due.

    def step(self, now):
        """Carries out what is due. Returns whether something has changed."""
        changed = False
        while self.due is not None and self.due <= now:
            at, self.due, changed = self.due, None, True
            if self.action in CREATING:
                self._create(at)
            elif self.action == "DELETING":
                self._drop_machine(at)
                self.group.drop(self)
            elif self.action == "ABANDONING":
                self.group.drop(self)
            else:
                self._settle(at)
        return changed

    def _create(self, at):
        if self.machine is None:
            self._attempt(at)
        elif self.machine.status == "PROVISIONING":
            self._become("STAGING", at, self.group.delay("boot") / 2)
        elif self.machine.status == "STAGING":
            self._become("RUNNING", at, None)
            self.action = "NONE"
            if self.group.delay("verify") > 0:
                self.action, self.due = "VERIFYING", at + self.group.delay("verify")
        else:  # the old machine of a member that is recreated
            self._drop_machine(at)
            self.due = at + self.group.delay("launch")

    def _become(self, status, at, then):
        self.machine.set(status, at)
        self.due = None if then is None else at + then

    def _attempt(self, at):
        fault = CAPACITY.refuses(self.launch(), running)
        if fault is None:
            self.errors, self.machine = [], Machine(self, self.group)
            CLOUD.machines[self.machine.path] = self.machine
            self._become("PROVISIONING", at, self.group.delay("boot") / 2)
            return
        self.errors = [fault]
        if STOCK_OUT in fault["code"]:
            self.group.stock_outs[self.zone] = CLOCK.monotonic()
        if self.action == "CREATING_WITHOUT_RETRIES":
            self.group.target_size -= 1
            self.group.drop(self)
        else:
            self.due = at + max(SHORTEST, self.group.delay("retry"))

    def _settle(self, at):
        if self.action == "SUSPENDING":
            self.machine.set("SUSPENDED", at)
        elif self.action == "STOPPING":
            self.machine.set("TERMINATED", at)
        elif self.action in ("RESUMING", "STARTING", "RESTARTING"):
            self.machine.set("RUNNING", at)
        self.action = "NONE"

    def _drop_machine(self, at):
        if self.machine is not None:
            self.machine.set("", at)
            CLOUD.machines.pop(self.machine.path, None)
            CLOUD.past_machines = [each for each in CLOUD.past_machines if each.history[-1][0] >= at - HISTORY]
            CLOUD.past_machines.append(self.machine)
            self.machine = None

    # Changes that are requested.

    def delete(self):
        """A member without a machine is gone with the next step."""
        self._leave("DELETING", 0.0 if self.machine is None else self.group.delay("delete"))
        if self.machine is not None:
            self.machine.set("STOPPING", CLOCK.monotonic())

    def abandon(self):
        self._leave("ABANDONING", self.group.delay("delete"))

    def _leave(self, action, after):
        self.action, self.errors, self.due = action, [], CLOCK.monotonic() + after

    def recreate(self, notice=0.0):
        """Ends the machine after `notice` seconds, or without a notice like a deletion; then
        creates one with its name."""
        self.action, self.errors = "RECREATING", []
        self.due = CLOCK.monotonic() + (notice if notice else self.group.delay("delete"))
        if self.machine is not None:
            self.machine.set("STOPPING", CLOCK.monotonic())

    def change(self, action, status, target):
        """`action`: SUSPENDING, STOPPING, RESUMING or STARTING."""
        self.action, self.target = action, target
        self.due = CLOCK.monotonic() + self.group.delay("suspend")
        if self.machine is not None:
            self.machine.set(status, CLOCK.monotonic())

    # What replies show.

    def row(self):
        out = {"name": self.name, "instance": link(self.path), "currentAction": self.action}
        if not self.is_leaving:
            out["version"] = {"instanceTemplate": link(self.template)}
            out["targetStatus"] = self.target
        else:
            out["targetStatus"] = "DELETED" if self.action == "DELETING" else "ABANDONED"
        if self.machine is not None:
            out["id"], out["instanceStatus"] = self.machine.id, self.machine.status
        if self.errors:
            out["lastAttempt"] = {"errors": {"errors": [dict(error) for error in self.errors]}}
        return out


def running():
    """The launches of all machines that take up capacity."""
    return [machine.launch for machine in CLOUD.machines.values()
            if machine.status not in ("TERMINATED", "SUSPENDED")]
