"""What the joiner is told of machines: all that a kubelet and a cloud controller would know."""

import yaml

from . import catalog
from .cloud import CLOUD
from .places import last


def kube_env_of(properties):
    """The text and its mapping; empty: there is none, or it cannot be read."""
    items = properties.get("metadata", {}).get("items", [])
    text = next((item.get("value", "") for item in items if item.get("key") == "kube-env"), "")
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError:
        read = None
    return text, read if isinstance(read, dict) else {}


def variable(kube_env, name):
    """Of AUTOSCALER_ENV_VARS: "a=b;c=d"."""
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
    """How many, and of which type."""
    own = machine.properties.get("guestAccelerators") or []
    if own:
        return sum(each["acceleratorCount"] for each in own), last(own[0]["acceleratorType"])
    found = catalog.OFFERED.find(machine.launch.type) or (0, 0, "", 0, 0)
    return found[3], found[2]


def machine_of(group, member):
    made = member.machine
    launch = member.launch()
    cores, memory, *_ = catalog.OFFERED.find(launch.type) or (0, 0)
    text, kube_env = kube_env_of(member.properties)
    out = {
        "id": member.name, "provider_id": f"gce://{group.project}/{member.zone}/{member.name}",
        "group": group.id_text, "zone": member.zone, "region": member.zone.rpartition("-")[0], "type": launch.type,
        "spot": launch.spot, "state": member.action, "status": made.status if made else "",
        "number": made.id if made else "", "ready": bool(made) and made.status == "RUNNING",
        "errors": [error["code"] for error in member.errors],
        "vcpus": cores, "memory_mib": memory, "arch": "arm64" if catalog.architecture_of(launch.type) == "ARM64" else "amd64",
        "pods": 110, "gpus": 0, "gpu_type": "",
        "labels": pairs(str(kube_env.get("NODE_LABELS") or variable(kube_env, "node_labels"))),
        "taints": [taint_of(*each) for each in
                   pairs(str(kube_env.get("NODE_TAINTS") or variable(kube_env, "node_taints"))).items()],
        "kube_reserved": pairs(variable(kube_env, "kube_reserved")), "kube_env": text,
    }
    if made:
        out["gpus"], out["gpu_type"] = gpus_of(made)
    return out


def machines():
    """Those of groups, and those that were abandoned and run on."""
    return [machine_of(group, member) for group in CLOUD.groups.values() for member in group.members.values()]


def groups():
    return {group.id_text: {
        "target": group.target_size, "suspended": group.target_suspended, "stopped": group.target_stopped,
        "stable": group.is_stable, "template": last(group.template_path), "zones": group.zones, "shape": group.shape,
        "autoscaler": group.autoscaler,
        "machines": [{"id": member.name, "zone": member.zone, "state": member.action,
                      "status": member.machine.status if member.machine else "",
                      "errors": [error["code"] for error in member.errors]} for member in group.members.values()],
    } for group in CLOUD.groups.values()}
