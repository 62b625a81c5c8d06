"""Turns machines of the Auto Scaling groups into nodes, as kubelets and the cloud controller of a cluster do.

    python tests/aws/joiner KUBECONFIG http://127.0.0.1:PORT [SECONDS]

A machine that is in service becomes a Node SECONDS later (0.5), with the labels that its group's tags promise; the
node goes when its machine is gone. Nodes become ready by what plays kubelets: the embedded API server, or kwok.
What machines are there it asks the server of tests/aws, whose lists may be late for everybody else.
"""

import base64
import json
import re
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.request

import yaml

PERIOD = 0.2
REGION_CHARACTERS = -1  # zones here are those of a region, with a letter behind its name
TEMPLATE = "k8s.io/cluster-autoscaler/node-template/"
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


def file_of(entry, key):
    """The path of what a kubeconfig names or holds; nothing: neither."""
    if entry.get(key + "-data"):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(base64.b64decode(entry[key + "-data"]))
        return file.name
    return entry.get(key)


class Cluster:
    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.server, self.headers = cluster["server"], {"Content-Type": "application/json"}
        if user.get("token"):
            self.headers["Authorization"] = f"Bearer {user['token']}"
        self.context = None
        if self.server.startswith("https"):
            self.context = ssl.create_default_context(cafile=file_of(cluster, "certificate-authority"))
            if file_of(user, "client-certificate"):
                self.context.load_cert_chain(file_of(user, "client-certificate"), file_of(user, "client-key"))

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data, self.headers, method=method)
        with urllib.request.urlopen(request, timeout=10, context=self.context) as answer:
            return json.loads(answer.read())


def reserved(vcpus, pods):
    """What EKS's machines keep for themselves: thousandths of a core, and MiB."""
    cpu = 60 + (10 if vcpus > 1 else 0) + 5 * min(max(vcpus - 2, 0), 2) + 2.5 * max(vcpus - 4, 0)
    return int(cpu), 255 + 11 * pods + 100


def option(user_data, name):
    """The value of a kubelet's option in what the machine started with: pairs of key and value."""
    found = re.search(name + r"[= ]\"?'?([^\s\"',]*(?:,[^\s\"',]+)*)", user_data)
    return [pair.partition("=")[::2] for pair in found.group(1).split(",") if pair] if found else []


def own_labels_and_taints(machine):
    """By its user data where kubelet's options are in it, else by what the tags of its group promise."""
    user_data = base64.b64decode(machine["user_data"] or "").decode(errors="replace")
    tags = machine["group_tags"]
    if "--node-labels" in user_data or "--register-with-taints" in user_data:
        return dict(option(user_data, "--node-labels")), option(user_data, "--register-with-taints")
    return ({key.removeprefix(TEMPLATE + "label/"): value for key, value in tags.items()
             if key.startswith(TEMPLATE + "label/")},
            [(key.removeprefix(TEMPLATE + "taint/"), value) for key, value in tags.items()
             if key.startswith(TEMPLATE + "taint/")])


def node_of(machine):
    vcpus, pods = machine["vcpus"], machine["pods"]
    memory = int(machine["memory_mib"] * 0.97)
    cpu_kept, memory_kept = reserved(vcpus, pods)
    capacity = {"cpu": str(vcpus), "memory": f"{memory}Mi", "pods": str(pods), "ephemeral-storage": "20Gi"}
    if machine["gpus"]:
        capacity["nvidia.com/gpu"] = str(machine["gpus"])
    own, marks = own_labels_and_taints(machine)
    labels = {
        "kubernetes.io/hostname": machine["id"], "kubernetes.io/os": "linux",
        "kubernetes.io/arch": ARCHITECTURES.get((machine["architectures"] or ["x86_64"])[-1], "amd64"),
        "node.kubernetes.io/instance-type": machine["type"], "topology.kubernetes.io/zone": machine["zone"],
        "topology.kubernetes.io/region": machine["zone"][:REGION_CHARACTERS], **own, **machine["nodegroup_labels"],
    }
    taints = [{"key": key, "value": value.rpartition(":")[0], "effect": value.rpartition(":")[2]}
              for key, value in marks]
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": machine["id"], "labels": labels,
                     "annotations": {"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0"}},
        "spec": {"providerID": f"aws:///{machine['zone']}/{machine['id']}", **({"taints": taints} if taints else {})},
        "status": {"capacity": capacity, "allocatable": {
            **capacity, "cpu": f"{1000 * vcpus - cpu_kept}m", "memory": f"{memory - memory_kept}Mi"}},
    }


class Joiner:
    def __init__(self, cluster, cloud, delay):
        self.cluster, self.cloud, self.delay = cluster, cloud, delay
        self.since = {}

    def machines(self):
        with urllib.request.urlopen(f"{self.cloud}/control/machines", timeout=10) as answer:
            return {machine["id"]: machine for machine in json.loads(answer.read())}

    def turn(self):
        machines = self.machines()
        nodes = {node["spec"]["providerID"].rsplit("/", 1)[-1]: node["metadata"]["name"]
                 for node in self.cluster.ask("GET", "/api/v1/nodes")["items"]
                 if node["spec"].get("providerID", "").startswith("aws:///")}
        now = time.monotonic()
        for id_, machine in machines.items():
            if machine["state"] != "InService":
                continue
            if id_ not in nodes and now - self.since.setdefault(id_, now) >= self.delay:
                self.cluster.ask("POST", "/api/v1/nodes", node_of(machine))
        for id_ in set(nodes) - set(machines):
            self.cluster.ask("DELETE", f"/api/v1/nodes/{nodes[id_]}")


def main(kubeconfig, cloud, delay="0.5"):
    joiner = Joiner(Cluster(kubeconfig), cloud, float(delay))
    while True:
        try:
            joiner.turn()
        except (urllib.error.URLError, OSError) as error:
            print(f"joiner: {error}", flush=True)
        time.sleep(PERIOD)


if __name__ == "__main__":
    main(*sys.argv[1:])
