"""Methods of instances, those of groups and others."""

from . import operations
from .answers import method
from .cloud import CLOUD
from .clock import CLOCK
from .group_methods import check_reachable, repeatable
from .places import ZONES, check_scope, link
from .refusal import not_found


def row_of(machine, status):
    project = machine.path.split("/")[1]
    properties = machine.properties
    metadata = properties.get("metadata", {}).get("items", [])
    out = {
        "kind": "compute#instance", "id": machine.id, "creationTimestamp": machine.created, "name": machine.name,
        "status": status, "zone": link(f"projects/{project}/zones/{machine.zone}"), "selfLink": link(machine.path),
        "machineType": link(f"projects/{project}/zones/{machine.zone}/machineTypes/{machine.launch.type}"),
        "cpuPlatform": "Intel Cascade Lake", "labelFingerprint": "c2hvcA==", "fingerprint": "c2hvcA==",
        "scheduling": {"provisioningModel": "STANDARD", "preemptible": False, "automaticRestart": True,
                       **properties.get("scheduling", {})},
        "metadata": {"kind": "compute#metadata", "fingerprint": "c2hvcA==", "items": [
            *metadata, {"key": "created-by", "value": created_by(machine, project)}]},
    }
    for key in ("labels", "serviceAccounts", "guestAccelerators"):
        if properties.get(key):
            out[key] = properties[key]
    return out


def created_by(machine, project):
    """The group that created the machine, with the project's number, as compute writes it."""
    return machine.created_by.replace(f"projects/{project}/", f"projects/{CLOUD.projects.get(project, '0')}/", 1)


def listed(project):
    """Pairs of scope and row, as late as lists are."""
    latest = CLOCK.monotonic() - CLOUD.late_by("instances")
    out = []
    for machine in [*CLOUD.machines.values(), *CLOUD.past_machines]:
        if machine.path.startswith(f"projects/{project}/"):
            status = machine.status_at(latest)
            if status:
                out.append((f"zones/{machine.zone}", row_of(machine, status)))
    return out


def machine_of(ask):
    check_scope(ask.project, ask.scope)
    path = f"projects/{ask.project}/{ask.scope}/instances/{ask.parameters['instance']}"
    if path not in CLOUD.machines:
        raise not_found(path)
    return CLOUD.machines[path]


def member_of(machine):
    """The machine's member of its group; None if it is in no group."""
    return next((group.members[machine.path] for group in CLOUD.groups.values() if machine.path in group.members), None)


@method("compute.instances.list")
def list_instances(ask):
    check_scope(ask.project, ask.scope)
    check_reachable(ask.scope)
    return ask.page("compute#instanceList", [row for scope, row in listed(ask.project) if scope == ask.scope])


@method("compute.instances.aggregatedList")
def aggregated_list(ask):
    return ask.aggregated("compute#instanceAggregatedList", "instances", listed(ask.project),
                          [f"zones/{zone}" for zone in ZONES])


@method("compute.instances.get")
def get_instance(ask):
    machine = machine_of(ask)
    return row_of(machine, machine.status)


@method("compute.instances.delete")
@repeatable
def delete_instance(ask):
    """The group of the instance creates another one with this name."""
    machine = machine_of(ask)
    return operations.start(ask, "delete", machine.path, machine.id, lambda: lose(machine))


@method("compute.instances.stop")
@repeatable
def stop_instance(ask):
    machine = machine_of(ask)
    return operations.start(ask, "stop", machine.path, machine.id, lambda: lose(machine, is_stopped=True))


def lose(machine, is_stopped=False, notice=0.0):
    """Ends the machine. Its group recreates it; without a group it is stopped or deleted."""
    member = member_of(machine)
    if member is not None and not member.is_leaving:
        member.group.recreate([member], notice)
        member.group.reconcile()
    elif member is None:
        machine.set("TERMINATED" if is_stopped else "", CLOCK.monotonic())
        if not is_stopped:
            CLOUD.past_machines.append(CLOUD.machines.pop(machine.path))
