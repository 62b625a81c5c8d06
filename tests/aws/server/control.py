"""The control interface of the tests: POST /control/WORD with a JSON object, GET /control/WORD; replies are JSON.

A world is a JSON object of these words. Words that are posted:

    reset               restore the initial state
    world               all of the words below at once, with `region`
    calls               [[service, action, parameters]], unsigned and allowed; parameters as for `--cli-input-json`
    types               the types that are offered; ["*"]: all of moto's
    delays              seconds: `launch` (until a machine is listed), `boot` (until it is in service), `terminate`, `retry`;
                        of one group in `groups`
    capacity            [{limit, group, zone, type, market, code}]: at most `limit` of the machines that match
    lag                 by how many seconds lists of groups are late
    provider_ids        false: nodes have neither a spec.providerID nor the names of their machines
    time                `offset`: how far AWS's clock is ahead; `advance`: what is due by then is due now
    identities, policy  users, roles and their holders; another policy
    expire              a session that ends
    enforce             whether signatures and policies count
    queue_name          the queue of events
    interrupt, rebalance, message
                        put an event into the queue; an interrupted machine is terminated after its `notice`
    terminate           a machine that EC2 terminates
    lifecycle           set a lifecycle state
    subnet_tags         tags of the default subnets

Words that are read: calls (with `after`), violations (of the models), groups, machines, and nodes for the joiner.
"""

import io
import json
import urllib.parse

from botocore.serialize import create_serializer
from moto.core import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.ec2.models import ec2_backends
from moto.eks.models import eks_backends
from moto.moto_api._internal.models import moto_api_backend
from moto.sts.models import sts_backends

from . import events
from .access import LOCK
from .answers import default_subnets
from .capacity import CAPACITY
from .clock import CLOCK
from .groups import SETTINGS, all_groups, reconcile_all
from .identity import IDENTITIES
from .instance_types import OFFERED, accelerators
from .models_check import model_of
from .nodes import node_of


class Control:
    def __init__(self, access):
        self.access = access
        self.queue = ""

    # Words that are posted.

    def reset(self):
        """As after the start: nothing is there, nobody is known, AWS's clock is the machine's."""
        moto_api_backend.reset()
        for value in (SETTINGS, CAPACITY, CLOCK, IDENTITIES, OFFERED, events.RECLAIMS):
            value.__init__()
        self.access.reset()
        self.queue = ""
        return {}

    def world(self, **wanted):
        """Sets all at once; each key except `region` and `calls` is one of the words below."""
        IDENTITIES.region = wanted.pop("region", IDENTITIES.region)
        calls = wanted.pop("calls", [])
        for word in ("types", "delays", "identities", "capacity"):
            if word in wanted:
                getattr(self, word)(wanted.pop(word))
        self.calls(calls)
        for word, value in wanted.items():
            getattr(self, word)(value)
        return {}

    def calls(self, calls):
        """[service, action, parameters] as `aws SERVICE ACTION --cli-input-json` takes them; answers are dropped."""
        for service, action, parameters in calls:
            self.call(service, action, parameters)
        return {}

    def call(self, service, action, parameters):
        operation = model_of(service).operation_model(action)
        sent = create_serializer(operation.metadata["protocol"]).serialize_to_request(parameters, operation)
        body = sent["body"]
        if isinstance(body, dict):
            body = urllib.parse.urlencode(body)
        data = body if isinstance(body, bytes) else body.encode()
        path, _, query = sent["url_path"].partition("?")
        environ = {
            "REQUEST_METHOD": sent["method"], "PATH_INFO": path, "RAW_URI": path, "QUERY_STRING": query,
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "HTTP_HOST": "localhost", "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(data), "CONTENT_LENGTH": str(len(data)), "capstan.trusted": True,
            "CONTENT_TYPE": sent["headers"].get("Content-Type", "application/x-www-form-urlencoded"),
            "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 Credential=AKIATESTSOWNCALLS000/20260101/"
                                  f"{IDENTITIES.region}/{service}/aws4_request, SignedHeaders=host, Signature=0",
        }
        if "X-Amz-Target" in sent["headers"]:
            environ["HTTP_X_AMZ_TARGET"] = sent["headers"]["X-Amz-Target"]
        answered = {}
        out = b"".join(self.access(environ, lambda status, headers, *_: answered.update(status=status)))
        if not answered["status"].startswith("2"):
            raise ValueError(f"{service} {action}: {answered['status']} {out.decode(errors='replace')[:500]}")
        return out

    def types(self, names):
        OFFERED.offer(names)
        return {}

    def delays(self, delays):
        SETTINGS.delays = delays
        return {}

    def capacity(self, pools):
        CAPACITY.set(pools)
        return {}

    def lag(self, seconds):
        SETTINGS.lag = float(seconds)
        return {}

    def provider_ids(self, on):
        """Whether nodes have a spec.providerID and the names of their machines."""
        SETTINGS.provider_ids = bool(on)
        return {}

    def time(self, offset=None, advance=0.0):
        """`offset`: how far AWS's clock is ahead; `advance`: what is due by then is due now."""
        if offset is not None:
            CLOCK.offset = float(offset)
        CLOCK.advance(float(advance))
        return {"now": CLOCK.text()}

    def identities(self, wanted):
        for user in wanted.get("users", []):
            IDENTITIES.add_user(user["name"], user["access_key_id"], user["secret_access_key"], user["policy"])
        for role in wanted.get("roles", []):
            IDENTITIES.add_role(role["name"], role["policy"])
        for name in ("machine_role", "pod_role", "pod_token", "web_token", "session_seconds"):
            if name in wanted:
                setattr(IDENTITIES, name, wanted[name])
        return {}

    def policy(self, name, document):
        IDENTITIES.set_policy(name, document)
        return {}

    def subnet_tags(self, tags):
        """Adds tags to the default subnets."""
        backend = ec2_backends[ACCOUNT][IDENTITIES.region]
        backend.create_tags(default_subnets(backend), tags)
        return {}

    def enforce(self, on):
        self.access.is_enforcing = bool(on)
        return {}

    def expire(self, access_key_id):
        """Ends the session with this access key; "" ends all sessions so far."""
        keys = [access_key_id] if access_key_id else [
            role.access_key_id for role in sessions()]
        self.access.expired.update(keys)
        return {"ended": len(keys)}

    def queue_name(self, name):
        """Sets the queue into which events are put."""
        self.queue = name
        return {}

    def interrupt(self, instance, notice=120.0):
        """The notice goes to the queue, and EC2 takes the machine back `notice` seconds later."""
        if self.queue:
            events.tell("interrupt", self.queue, instance, IDENTITIES.region)
        events.RECLAIMS.add(instance, IDENTITIES.region, float(notice))
        return {}

    def rebalance(self, instance):
        events.tell("rebalance", self.queue, instance, IDENTITIES.region)
        return {}

    def message(self, text):
        """Puts any text into the queue."""
        events.put(self.queue, text, IDENTITIES.region)
        return {}

    def terminate(self, instance):
        """Terminates a machine as EC2's console does: the group notices by its health check."""
        ec2_backends[ACCOUNT][IDENTITIES.region].terminate_instances([instance])
        return {}

    def lifecycle(self, instance, state):
        """Sets a lifecycle state by hand: "Standby", "Pending:Wait", "Warmed:Stopped"."""
        for group in all_groups():
            for each in group.instance_states:
                if each.instance.id == instance:
                    each.lifecycle_state, each.due = state, None
        return {}

    # Words that are read.

    def get_calls(self, after="0"):
        return [call for call in self.access.calls if call["number"] > int(after)]

    def get_violations(self):
        return [text for call in self.access.calls for text in call["violations"]]

    def get_groups(self):
        return {group.name: {
            "min": group.min_size, "max": group.max_size, "desired": group.desired_capacity, "status": group.status,
            "tags": {tag["Key"]: tag.get("Value") for tag in group.tags},
            "machines": [machine_of(group, state) for state in group.instance_states],
            "activities": [{"status": each["StatusCode"], "description": each["Description"]}
                           for each in group.activities],
        } for group in all_groups()}

    def get_machines(self):
        return [machine_of(group, state) for group in all_groups() for state in group.instance_states]

    def get_nodes(self):
        return [node_of(machine, SETTINGS.provider_ids) for machine in self.get_machines()]


def sessions():
    return sts_backends[ACCOUNT]["aws"].assumed_roles


def pods_of(of):
    """The maximum number of pods, by the addresses of network interfaces, as on EKS."""
    network = of.get("NetworkInfo", {})
    return network.get("MaximumNetworkInterfaces", 0) * (network.get("Ipv4AddressesPerInterface", 1) - 1) + 2


def nodegroup_labels(group):
    """The labels that EKS gives to the nodes of a managed node group."""
    tags = {tag["Key"]: tag.get("Value") for tag in group.tags}
    cluster = eks_backends[ACCOUNT][IDENTITIES.region].clusters.get(tags.get("eks:cluster-name"))
    nodegroup = cluster.nodegroups.get(tags["eks:nodegroup-name"]) if cluster else None
    if nodegroup is None:
        return {}
    return {"eks.amazonaws.com/nodegroup": nodegroup.nodegroup_name,
            "eks.amazonaws.com/capacityType": nodegroup.capacity_type, **nodegroup.labels}


def machine_of(group, state):
    of = OFFERED.find(state.launch.type) or {}
    return {
        "id": state.instance.id, "group": group.name, "zone": state.launch.zone, "type": state.launch.type,
        "address": state.instance.private_ip_address, "market": state.launch.market, "state": state.lifecycle_state, "health": state.health_status,
        "vcpus": of.get("VCpuInfo", {}).get("DefaultVCpus", 0),
        "memory_mib": of.get("MemoryInfo", {}).get("SizeInMiB", 0),
        "architectures": of.get("ProcessorInfo", {}).get("SupportedArchitectures", []),
        "pods": pods_of(of),
        "gpus": sum(each[3] for each in accelerators(of) if each[0] == "gpu"),
        "group_tags": {tag["Key"]: tag.get("Value") or "" for tag in group.tags},
        "tags": {tag["key"]: tag["value"] for tag in state.instance.get_tags()},
        "user_data": str(state.instance.user_data or ""), "nodegroup_labels": nodegroup_labels(group),
    }


def answer(control, environ):
    """Status and JSON text; None if it is no control request."""
    path = environ["PATH_INFO"]
    if not path.startswith("/control/"):
        return None
    word = path.removeprefix("/control/")
    try:
        is_asked = environ["REQUEST_METHOD"] == "GET"
        if is_asked:
            found = getattr(control, f"get_{word}")
            arguments = dict(urllib.parse.parse_qsl(environ.get("QUERY_STRING", "")))
        else:
            found = getattr(control, word)
            arguments = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) or b"{}")
        with LOCK:
            reconcile_all()
            out = found(**arguments) if is_asked or word not in PLAIN else found(arguments)
            events.RECLAIMS.carry_out()
            reconcile_all()
        return 200, json.dumps(out, default=str)
    except Exception as error:  # the test has sent an invalid request
        return 400, json.dumps({"error": f"{word}: {type(error).__name__}: {error}"})


# Words that take the JSON value itself.
PLAIN = {"subnet_tags", "types", "delays", "capacity", "identities", "lag", "provider_ids", "calls", "enforce", "queue_name"}
