"""What kubelet would report about a machine: the word `nodes`, for the joiner."""

import base64
import re

REGION_CHARACTERS = -1  # the name of a zone is that of its region and one letter
TEMPLATE = "k8s.io/cluster-autoscaler/node-template/"
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


def reserved(vcpus, pods):
    """What a machine of EKS reserves for itself: millicores, and MiB of memory."""
    cpu = 60 + (10 if vcpus > 1 else 0) + 5 * min(max(vcpus - 2, 0), 2) + 2.5 * max(vcpus - 4, 0)
    return int(cpu), 255 + 11 * pods + 100


def option(user_data, name):
    """The value of a kubelet option in the user data, as pairs of key and value."""
    found = re.search(name + r"[= ]\"?'?([^\s\"',]*(?:,[^\s\"',]+)*)", user_data)
    return [pair.partition("=")[::2] for pair in found.group(1).split(",") if pair] if found else []


def own_labels_and_taints(machine):
    """By the kubelet options in its user data; without such options by the node-template tags of
    its group."""
    user_data = base64.b64decode(machine["user_data"] or "").decode(errors="replace")
    tags = machine["group_tags"]
    if "--node-labels" in user_data or "--register-with-taints" in user_data:
        return dict(option(user_data, "--node-labels")), option(user_data, "--register-with-taints")
    return ({key.removeprefix(TEMPLATE + "label/"): value for key, value in tags.items()
             if key.startswith(TEMPLATE + "label/")},
            [(key.removeprefix(TEMPLATE + "taint/"), value) for key, value in tags.items()
             if key.startswith(TEMPLATE + "taint/")])


def node_of(machine, has_provider_id=True):
    """The node of a machine of the word `machines`. If it has no providerID, its name is not that
    of the machine either."""
    name = machine["id"] if has_provider_id else "node-" + machine["id"][-8:]
    vcpus, pods = machine["vcpus"], machine["pods"]
    memory = int(machine["memory_mib"] * 0.97)
    cpu_kept, memory_kept = reserved(vcpus, pods)
    capacity = {"cpu": str(vcpus), "memory": f"{memory}Mi", "pods": str(pods), "ephemeral-storage": "20Gi"}
    if machine["gpus"]:
        capacity["nvidia.com/gpu"] = str(machine["gpus"])
    own, marks = own_labels_and_taints(machine)
    return {
        "id": machine["id"], "name": name, "provider_id": f"aws:///{machine['zone']}/{machine['id']}",
        "has_provider_id": has_provider_id, "addresses": [machine["address"]], "is_up": machine["state"] == "InService",
        "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
            "kubernetes.io/arch": ARCHITECTURES.get((machine["architectures"] or ["x86_64"])[-1], "amd64"),
            "node.kubernetes.io/instance-type": machine["type"], "topology.kubernetes.io/zone": machine["zone"],
            "topology.kubernetes.io/region": machine["zone"][:REGION_CHARACTERS], **own, **machine["nodegroup_labels"]},
        "taints": [{"key": key, "value": value.rpartition(":")[0], "effect": value.rpartition(":")[2]}
                   for key, value in marks],
        "capacity": capacity,
        "allocatable": {**capacity, "cpu": f"{1000 * vcpus - cpu_kept}m", "memory": f"{memory - memory_kept}Mi"},
    }
