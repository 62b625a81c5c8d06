"""Auto Scaling groups as AWS's documentation has them, on top of moto's.

moto creates every machine at once, in one zone, of the template's type, and has no activities. Here a group is
brought towards its desired capacity step by step (`Group.reconcile`), as time and capacity allow. What its list
shows may be some seconds old.
"""

import collections
import copy
import math
import uuid

from moto.autoscaling import models
from moto.autoscaling.exceptions import AutoscalingClientError, ValidationError

from .capacity import CAPACITY, Launch, status_message
from .clock import CLOCK
from .instance_types import find_types

# Seconds. `launch`: until a requested machine is in the list; `boot`: from then until it is in
# service; `terminate`: until a terminating machine is gone; `retry`: from a failed launch to the
# next attempt. Delays of a single group are in "groups", under its name.
USUAL_DELAYS = {"launch": 0.0, "boot": 0.0, "terminate": 0.0, "retry": 30.0}
HISTORY = 600.0
LEAVING = ("Terminating", "Terminating:Wait", "Terminating:Proceed")


class Settings:
    """What all groups have in common, set by tests."""

    def __init__(self):
        self.delays = dict(USUAL_DELAYS)
        self.lag = 0.0  # seconds by which lists of groups are late
        self.provider_ids = True  # whether nodes have a spec.providerID

    def delay(self, group, what):
        own = self.delays.get("groups", {}).get(group, {})
        return own.get(what, self.delays.get(what, USUAL_DELAYS[what]))


SETTINGS = Settings()


class State(models.InstanceState):
    """A machine of a group, with its launch: zone, type and market."""

    def __init__(self, instance, group, launch, version):
        super().__init__(instance, lifecycle_state="Pending",
                         protected_from_scale_in=group.new_instances_protected_from_scale_in)
        self.launch, self._version = launch, version
        self.due = None  # by the monotonic clock: when its lifecycle state changes by itself
        self.activity = None

    @property
    def launch_template(self):
        if self._version is None:
            return None
        template = self._version.template
        return {"LaunchTemplateId": template.id, "LaunchTemplateName": template.name,
                "Version": str(self._version.number)}

    @property
    def is_leaving(self):
        return self.lifecycle_state in LEAVING

    @property
    def counts(self):
        """Whether the machine counts towards the desired capacity."""
        return not self.is_leaving and self.lifecycle_state != "Standby" and \
            not self.lifecycle_state.startswith("Warmed:")


class Group(models.FakeAutoScalingGroup):
    def __init__(self, **wanted):
        self.activities = []  # the newest first
        self.attempt_at = None
        self.history = collections.deque()
        self.status = None
        self.why = ""
        super().__init__(**wanted)
        self.created_time = CLOCK.moment()
        self.why = "an instance was started in response to the creation of the group"
        self._spread_over_subnets()

    def _spread_over_subnets(self):
        """A group with zones but without subnets gets the default subnets, as in AWS."""
        if not self.vpc_zone_identifier:
            subnets = {each.availability_zone: each.id for each in self.ec2_backend.describe_subnets()
                       if str(each.default_for_az).lower() == "true"}
            self.vpc_zone_identifier = ",".join(
                subnets[zone] for zone in self.availability_zones if zone in subnets) or None

    # What moto calls.

    def set_desired_capacity(self, new_capacity):
        before = getattr(self, "desired_capacity", None)
        self.desired_capacity = self.min_size if new_capacity is None else new_capacity
        self.attempt_at = None
        if before is not None and before != self.desired_capacity:
            self.why = (f"a user request explicitly set group desired capacity changing the desired capacity from "
                        f"{before} to {self.desired_capacity}")

    def active_instances(self):
        return [state for state in self.instance_states if state.counts]

    @models.FakeAutoScalingGroup.suspended_processes.getter
    def suspended_processes(self):
        """moto has empty reasons, which AWS's model does not allow."""
        return [{"ProcessName": each, "SuspensionReason": f"User suspended at {self.created_time:%Y-%m-%dT%H:%M:%SZ}"}
                for each in self._suspended_processes]

    # What AWS does by itself.

    def reconcile(self):
        now = CLOCK.monotonic()
        self._progress(now)
        self._replace_unhealthy(now)
        missing = self.desired_capacity - len(self.active_instances())
        if missing > 0 and not self._is_suspended("Launch"):
            self._launch(missing, now)
        elif missing < 0 and not self._is_suspended("Terminate"):
            for _ in range(-missing):
                self._shrink(now)
        if missing <= 0:
            self.attempt_at = None
        self._progress(now)
        self._remember(now)

    def _is_suspended(self, process):
        return any(each["ProcessName"] == process for each in self.suspended_processes)

    def _progress(self, now):
        for state in list(self.instance_states):
            if state.due is None or state.due > now:
                continue
            state.due = None
            if state.activity is not None:
                state.activity.update(StatusCode="Successful", Progress=100, EndTime=CLOCK.moment())
                state.activity = None
            if state.is_leaving:
                self.ec2_backend.terminate_instances([state.instance.id])
                self.instance_states.remove(state)
            else:
                state.lifecycle_state = "InService"

    def _replace_unhealthy(self, now):
        for state in self.instance_states:
            if state.is_leaving:
                continue
            is_gone = state.instance.state != "running"
            if is_gone:
                state.health_status = "Unhealthy"
            if state.health_status != "Healthy" and not self._is_suspended("ReplaceUnhealthy") \
                    and not self._is_suspended("Terminate"):
                what = ("an EC2 health check indicating it has been terminated or stopped" if is_gone
                        else "a user health-check")
                self.take_out(state, f"an instance was taken out of service in response to {what}.", now)

    def _launch(self, missing, now):
        if self.attempt_at is None:
            self.attempt_at = now + SETTINGS.delay(self.name, "launch")
        if now < self.attempt_at:
            return
        self.attempt_at = None
        for _ in range(missing):
            if not self._launch_one(now):
                self.attempt_at = now + SETTINGS.delay(self.name, "retry")

    def _launch_one(self, now):
        """Launches a machine. Zones are tried from the one with the fewest machines on; each zone
        without capacity leaves a failed activity. Returns whether a machine was launched."""
        market = self._market()
        running = [state.launch for group in self.autoscaling_backend.autoscaling_groups.values()
                   for state in group.instance_states if not state.is_leaving]
        if self.name not in self.autoscaling_backend.autoscaling_groups:
            running += [state.launch for state in self.instance_states if not state.is_leaving]
        for zone in self._zones_by_size():
            last = None
            for type_, version in self._candidates():
                launch = Launch(self.name, zone, type_, market)
                code = CAPACITY.refuses(launch, running)
                if code is None:
                    self._create(launch, version, now)
                    return True
                last = (code, launch)
            self._fail(*(last or ("InvalidLaunchTemplate", Launch(self.name, zone, "", market))))
        return False

    def _zones_by_size(self):
        counts = collections.Counter(state.launch.zone for state in self.active_instances())
        return sorted(self.availability_zones, key=lambda zone: (counts[zone], self.availability_zones.index(zone)))

    def _version(self, spec=None):
        if spec:
            template = (self.ec2_backend.get_launch_template(spec["LaunchTemplateId"])
                        if spec.get("LaunchTemplateId")
                        else self.ec2_backend.get_launch_template_by_name(spec["LaunchTemplateName"]))
            return template.get_version(spec.get("Version") or "$Default")
        if self.ec2_launch_template is None:
            return None
        return self.ec2_launch_template.get_version(self.launch_template_version)

    def _overrides(self):
        return (self.mixed_instances_policy or {}).get("LaunchTemplate", {}).get("Overrides", [])

    def _market(self):
        """The market of the next machine. Of the capacity above the base, a percentage is on
        demand, rounded up."""
        if not self.mixed_instances_policy:
            if self.launch_config is not None:
                return "spot" if self.launch_config.spot_price else "on-demand"
            options = self._version().data.get("InstanceMarketOptions", {})
            return "spot" if options.get("MarketType") == "spot" else "on-demand"
        wanted = self.mixed_instances_policy.get("InstancesDistribution", {})
        base = int(wanted.get("OnDemandBaseCapacity", 0))
        percentage = int(wanted.get("OnDemandPercentageAboveBaseCapacity", 100))
        above = max(0, self.desired_capacity - base)
        on_demand = min(base, self.desired_capacity) + math.ceil(above * percentage / 100)
        has = sum(state.launch.market == "on-demand" for state in self.active_instances())
        return "on-demand" if has < on_demand else "spot"

    def _candidates(self):
        """Pairs of type and template version, in the order in which they are tried."""
        own = self._version()
        if own is None:
            return [(self.launch_config.instance_type, None)]
        out = []
        for override in self._overrides():
            version = self._version(override.get("LaunchTemplateSpecification")) or own
            if override.get("InstanceRequirements"):
                out += [(name, version) for name in find_types(override["InstanceRequirements"])]
            else:
                out.append((override.get("InstanceType") or version.instance_type, version))
        if out:
            return out
        if own.instance_type:
            return [(own.instance_type, own)]
        return [(name, own) for name in find_types(own.data.get("InstanceRequirements", {}))]

    def _create(self, launch, version, now):
        tags = self.get_propagated_tags()
        tags[models.ASG_NAME_TAG] = self.name
        if version is not None:
            tags.update(version.instance_tags)
        subnets = [each for each in (self.vpc_zone_identifier or "").split(",") if each and
                   self.ec2_backend.get_subnet(each).availability_zone == launch.zone]
        of_template = None if version is None else \
            {"LaunchTemplateId": version.template.id, "Version": str(version.number)}
        reservation = self.ec2_backend.run_instances(
            self.image_id, 1, None, [], instance_type=launch.type, tags={"instance": tags}, placement=launch.zone,
            launch_config=self.launch_config, launch_template=of_template, is_instance_type_default=False,
            subnet_id=subnets[0] if subnets else None, associate_public_ip=None,
            **({"instance_market_options": {"MarketType": "spot"}} if launch.market == "spot" else {}))
        instance = reservation.instances[0]
        instance.autoscaling_group = self
        state = State(instance, self, launch, version)
        state.due = now + SETTINGS.delay(self.name, "boot")
        before = len(self.active_instances())
        self.instance_states.append(state)
        state.activity = self.note(
            f"Launching a new EC2 instance: {instance.id}", self._cause(before, before + 1), "InProgress",
            details=launch.zone)

    def _cause(self, before, after):
        at = CLOCK.text()
        return (f"At {at} {self.why}.  At {at} an instance was started in response to a difference between desired "
                f"and actual capacity, increasing the capacity from {before} to {after}.")

    def _fail(self, code, launch):
        message = status_message(code, launch, bool(self.mixed_instances_policy))
        before = len(self.active_instances())
        self.note(f"Launching a new EC2 instance.  Status Reason: {message}", self._cause(before, before + 1),
                  "Failed", message, details=launch.zone)

    def _shrink(self, now):
        """Takes out an unprotected machine: of those in the zone with the most machines the
        oldest."""
        counts = collections.Counter(state.launch.zone for state in self.active_instances())
        free = [state for state in self.active_instances() if not state.protected_from_scale_in]
        if free:
            chosen = max(free, key=lambda state: counts[state.launch.zone])
            self.take_out(chosen, "an instance was taken out of service in response to a difference between desired "
                                  "and actual capacity.", now)

    def take_out(self, state, why, now):
        """Begins to terminate the machine. Returns the activity."""
        state.lifecycle_state = "Terminating"
        state.due = now + SETTINGS.delay(self.name, "terminate")
        state.activity = self.note(f"Terminating EC2 instance: {state.instance.id}", f"At {CLOCK.text()} {why}",
                                   "InProgress", details=state.launch.zone)
        return state.activity

    def note(self, description, cause, status, message=None, details=""):
        activity = {
            "ActivityId": str(uuid.uuid4()), "AutoScalingGroupName": self.name, "AutoScalingGroupARN": self.arn,
            "Description": description, "Cause": cause[:1023], "StartTime": CLOCK.moment(), "StatusCode": status,
            "Progress": 100 if status == "Failed" else 50,
            "Details": '{"Availability Zone":"%s"}' % details,
        }
        if message is not None:
            activity.update(StatusMessage=message, EndTime=CLOCK.moment())
        self.activities.insert(0, activity)
        return activity

    # What lists show.

    def _remember(self, now):
        shown = (self.desired_capacity, self.min_size, self.max_size, self.status, str(self.tags),
                 [(state.instance.id, state.lifecycle_state, state.health_status, state.protected_from_scale_in)
                  for state in self.instance_states],
                 str(self.suspended_processes))
        if self.history and self.history[-1][1] == shown:
            return
        view = copy.copy(self)
        view.instance_states = [copy.copy(state) for state in self.instance_states]
        view._tags = copy.deepcopy(self._tags)
        self.history.append((now, shown, view))
        while len(self.history) > 1 and self.history[1][0] < now - HISTORY:
            self.history.popleft()

    def seen(self):
        """The group as it was `lag` seconds ago; None if it did not exist then."""
        latest = CLOCK.monotonic() - SETTINGS.lag
        views = [view for at, _, view in self.history if at <= latest]
        return views[-1] if views else None


class Backend:
    """Methods that replace those of moto's AutoScalingBackend."""

    def group_of(self, name):
        if name not in self.autoscaling_groups:
            raise ValidationError(f"AutoScalingGroup name not found - AutoScalingGroup '{name}' not found")
        return self.autoscaling_groups[name]

    def set_desired_capacity(self, group_name, desired_capacity):
        group = Backend.group_of(self, group_name)
        for bound, value, is_over in (("above max", group.max_size, desired_capacity > group.max_size),
                                      ("below min", group.min_size, desired_capacity < group.min_size)):
            if is_over:
                raise ValidationError(f"New SetDesiredCapacity value {desired_capacity} is {bound} value {value} for "
                                      "the AutoScalingGroup.")
        group.set_desired_capacity(desired_capacity)
        group.reconcile()

    def set_instance_protection(self, group_name, instance_ids, protected_from_scale_in):
        group = Backend.group_of(self, group_name)
        states = {state.instance.id: state for state in group.instance_states}
        for instance_id in instance_ids:
            if instance_id not in states:
                raise ValidationError(f"The instance {instance_id} is not part of Auto Scaling group {group_name}.")
            if states[instance_id].lifecycle_state not in ("InService", "EnteringStandby", "Standby"):
                raise ValidationError(f"The instance {instance_id} is not in InService or EnteringStandby or Standby.")
        for instance_id in instance_ids:
            states[instance_id].protected_from_scale_in = protected_from_scale_in
        group.reconcile()

    def terminate_instance(self, instance_id, should_decrement):
        found = [(group, state) for group in self.autoscaling_groups.values() for state in group.instance_states
                 if state.instance.id == instance_id]
        if not found:
            raise ValidationError(f"Instance Id not found - No managed instance found for instance ID: {instance_id}")
        group, state = found[0]
        before = group.desired_capacity
        if should_decrement and state.counts:
            if before <= group.min_size:
                raise ValidationError(
                    f"Currently, desiredSize equals minSize ({group.min_size}). Terminating instance without "
                    "replacement will violate group's min size constraint. Either set "
                    "shouldDecrementDesiredCapacity flag to false or lower group's min size.")
            group.desired_capacity = before - 1
        why = f"instance {instance_id} was taken out of service in response to a user request"
        why += f", shrinking the capacity from {before} to {group.desired_capacity}." if should_decrement else "."
        activity = state.activity if state.is_leaving else group.take_out(state, why, CLOCK.monotonic())
        group.reconcile()
        return activity

    def update_auto_scaling_group(self, name, desired_capacity=None, max_size=None, min_size=None, **others):
        group = Backend.group_of(self, name)
        low = group.min_size if min_size is None else min_size
        high = group.max_size if max_size is None else max_size
        if low > high:
            raise ValidationError(f"Max bound, {high}, must be greater than or equal to min bound, {low}")
        wanted = min(max(group.desired_capacity, low), high) if desired_capacity is None else desired_capacity
        check_bounds(low, high, wanted)
        group.min_size, group.max_size = low, high
        if others.get("mixed_instances_policy"):
            group.mixed_instances_policy = others["mixed_instances_policy"]
            group._set_launch_configuration("", {}, others["mixed_instances_policy"])
        if others.get("launch_template"):
            group._set_launch_configuration("", others["launch_template"], None)
        group.set_desired_capacity(wanted)
        group.reconcile()
        return group

    def delete_auto_scaling_group(self, group_name, force=False):
        group = Backend.group_of(self, group_name)
        if group.instance_states and not force:
            if all(state.is_leaving for state in group.instance_states):
                raise AutoscalingClientError(
                    "ScalingActivityInProgress",
                    "You cannot delete an AutoScalingGroup while there are scaling activities in progress for that "
                    "group.")
            raise AutoscalingClientError(
                "ResourceInUse",
                "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) "
                "still in the group.")
        group.status = "Delete in progress"
        group.min_size = group.desired_capacity = 0
        group.reconcile()
        forget_deleted(self)


def forget_deleted(backend):
    for group in list(backend.autoscaling_groups.values()):
        if group.status == "Delete in progress" and not group.instance_states:
            del backend.autoscaling_groups[group.name]


def check_bounds(low, high, desired):
    if not low <= desired <= high:
        raise ValidationError(
            f"Desired capacity:{desired} must be between the specified min size:{low} and max size:{high}")


_create = models.AutoScalingBackend.create_auto_scaling_group


def create_auto_scaling_group(self, name, desired_capacity=None, max_size=None, min_size=None, **others):
    if name in self.autoscaling_groups:
        raise AutoscalingClientError(
            "AlreadyExists", f"AutoScalingGroup by this name already exists - A group with the name {name} already "
            "exists")
    check_bounds(min_size, max_size, min_size if desired_capacity is None else desired_capacity)
    group = _create(self, name=name, desired_capacity=desired_capacity, max_size=max_size, min_size=min_size, **others)
    group.reconcile()
    return group


def install():
    """Makes moto use the groups of this file."""
    models.FakeAutoScalingGroup = Group
    backend = models.AutoScalingBackend
    backend.create_auto_scaling_group = create_auto_scaling_group
    for name in ("set_desired_capacity", "set_instance_protection", "terminate_instance",
                 "update_auto_scaling_group", "delete_auto_scaling_group"):
        setattr(backend, name, getattr(Backend, name))


def reconcile_all():
    for by_region in models.autoscaling_backends.values():
        for backend in by_region.values():
            for group in list(backend.autoscaling_groups.values()):
                group.reconcile()
            forget_deleted(backend)


def all_groups():
    return [group for by_region in models.autoscaling_backends.values() for backend in by_region.values()
            for group in backend.autoscaling_groups.values()]
