"""Machines for tests and the joiner, with all that a kubelet and a cloud controller would know."""

import yaml

from . import catalog
from .cloud import CLOUD
from .places import last


def kube_env_of(properties):
    """The text of kube-env, and its mapping, which is empty if there is no text or it cannot be
    read."""
    items = properties.get("metadata", {}).get("items", [])
    text = next((item.get("value", "") for item in items if item.get("key") == "kube-env"), "")
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError:
        read = None
    return text, read if isinstance(read, dict) else {}


def variable(kube_env, name):
    """The value of a variable in AUTOSCALER_ENV_VARS ("a=b;c=d"); "" without it."""
    for pair in str(kube_env.get("AUTOSCALER_ENV_VARS", "")).split(";"):
        key, _, value = pair.partition("=")
        if key.strip() == name:
            return value.strip()
    return ""


def pairs(text):
    return dict(each.strip().partition("=")[::2] for each in text.split(",") if each.strip())


def taint_of(key, value):
    value, _, effect = value.rpartition(":")
    return {"key": key, "value": value, "effect": effect}


def gpus_of(machine):
    """The number and the type of its GPUs."""
    own = machine.properties.get("guestAccelerators") or []
    if own:
        return sum(each["acceleratorCount"] for each in own), last(own[0]["acceleratorType"])
    found = catalog.OFFERED.find(machine.launch.type) or (0, 0, "", 0, 0)
    return found[3], found[2]


def kubelet_of(launch, properties):
    """What a machine has whether it is in a group or was abandoned."""
    cores, memory, *_ = catalog.OFFERED.find(launch.type) or (0, 0)
    text, kube_env = kube_env_of(properties)
    return {
        "id": launch.name, "provider_id": f"gce://{launch.project}/{launch.zone}/{launch.name}", "zone": launch.zone,
        "region": launch.zone.rpartition("-")[0], "type": launch.type, "spot": launch.spot,
        "vcpus": cores, "memory_mib": memory, "arch": "arm64" if catalog.architecture_of(launch.type) == "ARM64" else "amd64",
        "pods": 110, "gpus": 0, "gpu_type": "",
        "labels": pairs(str(kube_env.get("NODE_LABELS") or variable(kube_env, "node_labels"))),
        "taints": [taint_of(*each) for each in
                   pairs(str(kube_env.get("NODE_TAINTS") or variable(kube_env, "node_taints"))).items()],
        "kube_reserved": pairs(variable(kube_env, "kube_reserved")), "kube_env": text,
    }


def made_of(machine):
    if machine is None:
        return {"status": "", "number": "", "ready": False}
    gpus, gpu_type = gpus_of(machine)
    return {"status": machine.status, "number": machine.id, "ready": machine.status == "RUNNING", "gpus": gpus,
            "gpu_type": gpu_type}


def machine_of(group, member):
    return {**kubelet_of(member.launch(), member.properties), **made_of(member.machine), "group": group.id_text,
            "state": member.action, "errors": [error["code"] for error in member.errors]}


def machines():
    """The machines of groups, and machines that were abandoned and still exist: their group is
    ""."""
    own = [machine_of(group, member) for group in CLOUD.groups.values() for member in group.members.values()]
    known = {machine["number"] for machine in own}
    return own + [{**kubelet_of(machine.launch, machine.properties), **made_of(machine), "group": "", "state": "",
                   "errors": []} for machine in CLOUD.machines.values() if machine.id not in known]


def groups():
    return {group.id_text: {
        "target": group.target_size, "suspended": group.target_suspended, "stopped": group.target_stopped,
        "stable": group.is_stable, "template": last(group.template_path), "zones": group.zones, "shape": group.shape,
        "autoscaler": group.autoscaler,
        "machines": [{"id": member.name, "zone": member.zone, "state": member.action,
                      "status": member.machine.status if member.machine else "",
                      "errors": [error["code"] for error in member.errors]} for member in group.members.values()],
    } for group in CLOUD.groups.values()}
