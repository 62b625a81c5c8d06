"""Turns machines of a cloud into nodes, as kubelets and the cloud controller of a cluster do.

    python tests/clouds/joiner KUBECONFIG http://127.0.0.1:PORT PREFIX [SECONDS]

A machine that is up becomes a Node SECONDS later (default 0.5), without a spec.providerID if
`has_provider_id` is false.
The node is deleted when its machine is gone, or when another machine has the same provider ID.
Nodes are made ready by what simulates kubelets: the embedded API server, or kwok. The server lists
the machines, and what kubelet would report about each, by the word `nodes`; unlike its lists for
other clients, this one is never late. PREFIX is what providerIDs of this cloud begin with
("aws:///"): other nodes are left alone.
"""

import base64
import json
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.request

import yaml

PERIOD = 0.2
# The annotation by which the joiner recognizes a node without a providerID.
MACHINE = "tests.capstan.io/provider-id"


def file_of(entry, key):
    """The path of a file that the kubeconfig names, or of a new file with data that it contains;
    None without either."""
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


def node_of(machine):
    spec = {"taints": machine["taints"]} if machine["taints"] else {}
    if machine.get("has_provider_id", True):
        spec["providerID"] = machine["provider_id"]
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": machine["name"], "labels": machine["labels"],
                     "annotations": {"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0",
                                     MACHINE: machine["provider_id"]}},
        "spec": spec,
        "status": {"capacity": machine["capacity"], "allocatable": machine["allocatable"],
                   "addresses": [{"type": "InternalIP", "address": each} for each in machine.get("addresses", [])]},
    }


def provider_id_of(node):
    """Also of a node without a spec.providerID."""
    return node["spec"].get("providerID") or node["metadata"].get("annotations", {}).get(MACHINE, "")


class Joiner:
    def __init__(self, cluster, cloud, prefix, delay):
        self.cluster, self.cloud, self.prefix, self.delay = cluster, cloud, prefix, delay
        self.since, self.joined = {}, {}

    def machines(self):
        with urllib.request.urlopen(f"{self.cloud}/control/nodes", timeout=10) as answer:
            return {machine["provider_id"]: machine for machine in json.loads(answer.read())}

    def nodes(self):
        """Names of this cloud's nodes by providerID."""
        names = {provider_id_of(node): node["metadata"]["name"]
                 for node in self.cluster.ask("GET", "/api/v1/nodes")["items"]}
        return {provider_id: name for provider_id, name in names.items() if provider_id.startswith(self.prefix)}

    def is_due(self, machine):
        now = time.monotonic()
        return machine["is_up"] and now - self.since.setdefault(machine["id"], now) >= self.delay

    def turn(self):
        machines, nodes = self.machines(), self.nodes()
        for provider_id, machine in machines.items():
            if provider_id not in nodes and self.is_due(machine):
                self.cluster.ask("POST", "/api/v1/nodes", node_of(machine))
                self.joined[provider_id] = machine["id"]
        for provider_id, name in nodes.items():
            machine = machines.get(provider_id)
            if machine is None or machine["id"] != self.joined.get(provider_id, machine["id"]):
                self.cluster.ask("DELETE", f"/api/v1/nodes/{name}")


def main(kubeconfig, cloud, prefix, delay="0.5"):
    joiner = Joiner(Cluster(kubeconfig), cloud, prefix, float(delay))
    while True:
        try:
            joiner.turn()
        except (urllib.error.URLError, OSError) as error:
            print(f"joiner: {error}", flush=True)
        time.sleep(PERIOD)


if __name__ == "__main__":
    main(*sys.argv[1:])
