"""What kubelet would report about a machine: the word `nodes`, for the joiner."""

EVICTION_MIB = 100
UNITS = {"Ki": 1 / 1024, "Mi": 1, "Gi": 1024}  # MiB


def thousandths(cpu):
    return int(cpu.removesuffix("m")) if cpu.endswith("m") else int(float(cpu or 0) * 1000)


def mebibytes(memory):
    return int(float(memory[:-2]) * UNITS[memory[-2:]]) if memory[-2:] in UNITS else int(memory or 0) >> 20


def node_of(machine):
    """The node of a machine of the word `machines`."""
    memory, kept = int(machine["memory_mib"] * 0.97), machine["kube_reserved"]
    capacity = {"cpu": str(machine["vcpus"]), "memory": f"{memory}Mi", "pods": str(machine["pods"]),
                "ephemeral-storage": "40Gi"}
    if machine["gpus"]:
        capacity["nvidia.com/gpu"] = str(machine["gpus"])
    return {
        "id": machine["number"], "name": machine["id"], "provider_id": machine["provider_id"],
        "is_up": machine["ready"],
        "labels": {
            "kubernetes.io/hostname": machine["id"], "kubernetes.io/os": "linux", "kubernetes.io/arch": machine["arch"],
            "node.kubernetes.io/instance-type": machine["type"], "topology.kubernetes.io/zone": machine["zone"],
            "topology.kubernetes.io/region": machine["region"], "topology.gke.io/zone": machine["zone"],
            **machine["labels"]},
        "taints": machine["taints"],
        "capacity": capacity,
        "allocatable": {**capacity, "cpu": f"{1000 * machine['vcpus'] - thousandths(kept.get('cpu', '0'))}m",
                        "memory": f"{memory - mebibytes(kept.get('memory', '0')) - EVICTION_MIB}Mi"},
    }


def nodes_of(machines):
    """The nodes of the machines that have been created."""
    return [node_of(machine) for machine in machines if machine["number"]]
