"""Sends requests to server and proxy with Google's own clients, which share nothing with Capstan,
and checks the replies.

    build/python/bin/python tests/gce/server/self_check.py [CHECK...]
"""

import contextlib
import ctypes
import http.client
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

import google.auth.compute_engine
import google.auth.transport.requests
import googleapiclient.discovery
import httplib2
from google.auth import identity_pool, impersonated_credentials
from google.auth.compute_engine import _metadata
from google.auth.exceptions import OAuthError
from google.oauth2 import service_account
from google_auth_httplib2 import AuthorizedHttp
from googleapiclient.errors import HttpError

HERE = pathlib.Path(__file__).resolve().parent
PROJECT, ZONE, REGION = "shop-prod", "us-central1-a", "us-central1"
ACCOUNT, READER = "capstan@shop-prod.iam.gserviceaccount.com", "reader@shop-prod.iam.gserviceaccount.com"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
AUDIENCE = ("//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/shop/providers/cluster")
IDENTITIES = {
    "accounts": [{"email": ACCOUNT, "permissions": ["*"]},
                 {"email": READER, "permissions": ["compute.instanceGroupManagers.list"]}],
    "machine_account": ACCOUNT,
    "workload": {"audience": AUDIENCE, "token": "a-workloads-token", "permissions": ["*"]},
}


def template(name, **properties):
    return ["compute.instanceTemplates.insert", {"project": PROJECT}, {"name": name, "properties": {
        "machineType": "n2-standard-2", "disks": [{"boot": True}],
        "networkInterfaces": [{"network": "global/networks/default"}], **properties}}]


def group(name, **more):
    return ["compute.instanceGroupManagers.insert", {"project": PROJECT, "zone": ZONE},
            {"name": name, "instanceTemplate": "global/instanceTemplates/web", "targetSize": 0, **more}]


def regional(name, shape):
    return ["compute.regionInstanceGroupManagers.insert", {"project": PROJECT, "region": REGION},
            {"name": name, "instanceTemplate": "global/instanceTemplates/web", "targetSize": 0,
             "distributionPolicy": {"targetShape": shape}}]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Programs:
    """The processes of server and proxy, which all checks use one after the other."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.processes = []
        self.server = self.start("server", HERE)
        self.proxy = self.start("proxy", HERE.parents[1] / "clouds/proxy", self.server, HERE.parent / "wire.py")

    def start(self, what, program, *arguments):
        port = pathlib.Path(self.folder.name) / f"{what}.port"
        self.processes.append(subprocess.Popen([sys.executable, program, port, *arguments], preexec_fn=die_with_parent))
        while not port.exists():
            assert self.processes[-1].poll() is None, f"{what} does not come up"
            time.sleep(0.02)
        return f"http://127.0.0.1:{port.read_text()}"

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.folder.cleanup()


class Server:
    """The server, reset to a new world for each check. `compute`: Google's client with the
    machine's account."""

    programs = None

    def __init__(self, *calls, with_proxy=False, **world):
        self.control_url = self.programs.server
        self.url = self.programs.proxy if with_proxy else self.control_url
        self.ask("reset", {})
        self.ask("world", {"identities": IDENTITIES, "calls": [template("web"), *calls], **world})
        os.environ["GCE_METADATA_HOST"] = os.environ["GCE_METADATA_IP"] = self.url.removeprefix("http://")
        importlib.reload(_metadata)  # it reads these variables when it is loaded
        self.credentials = google.auth.compute_engine.Credentials(scopes=[SCOPE])
        self.compute = self.client("compute", "v1", self.credentials)
        self.groups = self.compute.instanceGroupManagers()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def client(self, service, version, credentials):
        return googleapiclient.discovery.build(
            service, version, http=AuthorizedHttp(credentials, httplib2.Http(timeout=5)), static_discovery=True,
            client_options={"api_endpoint": self.url + ("/compute/v1/" if service == "compute" else "")})

    def ask(self, word, value=None):
        data = None if value is None else json.dumps(value).encode()
        with urllib.request.urlopen(f"{self.control_url}/control/{word}", data) as answer:
            return json.loads(answer.read())

    def strike(self, *rules):
        urllib.request.urlopen(f"{self.url}/proxy/rules", json.dumps(rules).encode()).read()

    def create(self, name, *names):
        return self.done(self.groups.createInstances(
            project=PROJECT, zone=ZONE, instanceGroupManager=name,
            body={"instances": [{"name": each} for each in names]}).execute())

    def done(self, operation):
        return self.compute.zoneOperations().wait(project=PROJECT, zone=ZONE, operation=operation["name"]).execute()

    def target(self, name):
        return self.groups.get(project=PROJECT, zone=ZONE, instanceGroupManager=name).execute()["targetSize"]

    def machines(self, name):
        return self.groups.listManagedInstances(project=PROJECT, zone=ZONE, instanceGroupManager=name).execute().get(
            "managedInstances", [])


@contextlib.contextmanager
def refused(status, *words):
    try:
        yield
    except HttpError as error:
        assert error.status_code == status, error
        assert all(word in str(error) + str(error.error_details) for word in words), (error, error.error_details)
        return
    raise AssertionError(f"{status} was expected, and it was done")


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


# The checks

def machines_are_made_and_deleted_by_name():
    with Server(group("web")) as gce:
        same(gce.create("web", "web-0001", "web-0002")["status"], "DONE")
        same(sorted(each["name"] for each in gce.machines("web")), ["web-0001", "web-0002"])
        same([each["currentAction"] for each in gce.machines("web")], ["NONE", "NONE"])
        same(gce.target("web"), 2)
        with refused(409, "alreadyExists"):
            gce.create("web", "web-0001")
        gce.done(gce.groups.deleteInstances(
            project=PROJECT, zone=ZONE, instanceGroupManager="web",
            body={"instances": [f"zones/{ZONE}/instances/web-0001", f"zones/{ZONE}/instances/web-gone"],
                  "skipInstancesOnValidationError": True}).execute())
        same([each["name"] for each in gce.machines("web")], ["web-0002"])
        same(gce.target("web"), 1)
        same(gce.ask("violations"), [])


def an_exhausted_zone_returns_an_error():
    with Server(group("web"), capacity=[{"limit": 1}]) as gce:
        gce.create("web", "web-0001", "web-0002")
        failed = [each for each in gce.machines("web") if each["currentAction"] == "CREATING"]
        same([each["name"] for each in failed], ["web-0002"])
        same(failed[0]["lastAttempt"]["errors"]["errors"][0]["code"], "ZONE_RESOURCE_POOL_EXHAUSTED")
        same(gce.target("web"), 2)


def regional_groups_spread_by_their_shape():
    for shape, zones in (("EVEN", {"a": 1, "b": 1, "c": 1}), ("BALANCED", {"b": 2, "c": 1}), ("ANY", {"b": 3})):
        with Server(regional("web", shape), capacity=[{"zone": ZONE, "limit": 0}]) as gce:
            groups = gce.compute.regionInstanceGroupManagers()
            place = {"project": PROJECT, "region": REGION, "instanceGroupManager": "web"}
            if shape != "EVEN":  # a first attempt shows the group that the zone is out of stock
                groups.resize(size=1, **place).execute()
                groups.resize(size=0, **place).execute()
            groups.resize(size=3, **place).execute()
            told = groups.listManagedInstances(**place).execute()["managedInstances"]
            found = [each["instance"].split("/zones/")[1][len(REGION) + 1] for each in told]
            same({zone: found.count(zone) for zone in sorted(set(found))}, zones)


def lists_are_late_and_come_in_pages():
    with Server(*(group(f"web-{at}") for at in range(3)), lag={"managed": 60}) as gce:
        listed = gce.groups.list(project=PROJECT, zone=ZONE, maxResults=2)
        same([len(page["items"]) for page in pages_of(gce.groups, listed)], [2, 1])
        gce.create("web-0", "web-0-0001")
        same(gce.machines("web-0"), [])
        same(gce.target("web-0"), 1)
        found = gce.groups.aggregatedList(project=PROJECT).execute()["items"][f"zones/{ZONE}"]["instanceGroupManagers"]
        same(len(found), 3)


def pages_of(collection, request):
    out = []
    while request is not None:
        out.append(request.execute())
        request = collection.list_next(request, out[-1])
    return out


def operations_take_their_time_and_fail():
    with Server(group("web"), delays={"operation": 1}) as gce:
        asked = gce.groups.resize(project=PROJECT, zone=ZONE, instanceGroupManager="web", size=1).execute()
        same(asked["status"], "RUNNING")
        same(gce.target("web"), 0)
        same(gce.done(asked)["status"], "DONE")
        same(gce.target("web"), 1)
        gce.ask("failures", [{"method": ".*resize", "code": "INTERNAL_ERROR"}])
        ended = gce.done(gce.groups.resize(project=PROJECT, zone=ZONE, instanceGroupManager="web", size=2).execute())
        same(ended["error"]["errors"][0]["code"], "INTERNAL_ERROR")
        same(gce.target("web"), 1)


def permissions_count():
    with Server(group("web")) as gce:
        key = gce.ask(f"key?email={READER}")
        reader = service_account.Credentials.from_service_account_info(key, scopes=[SCOPE])
        groups = gce.client("compute", "v1", reader).instanceGroupManagers()
        same(len(groups.list(project=PROJECT, zone=ZONE).execute()["items"]), 1)
        with refused(403, "compute.instanceGroupManagers.update", "web"):
            groups.resize(project=PROJECT, zone=ZONE, instanceGroupManager="web", size=1).execute()
        resources = gce.client("cloudresourcemanager", "v3", reader)
        asked = {"permissions": ["compute.instanceGroupManagers.list", "compute.instanceGroupManagers.update"]}
        told = resources.projects().testIamPermissions(resource=f"projects/{PROJECT}", body=asked).execute()
        same(told, {"permissions": ["compute.instanceGroupManagers.list"]})


def every_kind_of_credentials_gives_a_token():
    with Server() as gce:
        request = google.auth.transport.requests.Request()
        file = pathlib.Path(gce.programs.folder.name) / "token"
        file.write_text("a-workloads-token")
        workload = identity_pool.Credentials(
            audience=AUDIENCE, subject_token_type="urn:ietf:params:oauth:token-type:jwt",
            token_url=f"{gce.url}/v1/token", credential_source={"file": str(file)}, scopes=[SCOPE])
        impersonated = impersonated_credentials.Credentials(
            workload, ACCOUNT, [SCOPE],
            iam_endpoint_override=f"{gce.url}/v1/projects/-/serviceAccounts/{ACCOUNT}:generateAccessToken")
        for credentials in (gce.credentials, workload, impersonated):
            credentials.refresh(request)
            groups = gce.client("compute", "v1", credentials).instanceGroupManagers()
            same(groups.list(project=PROJECT, zone=ZONE).execute().get("items"), None)
        file.write_text("a-strangers-token")
        try:
            workload.refresh(request)
            raise AssertionError("a stranger was given a token")
        except OAuthError as error:
            assert "invalid_grant" in str(error), error


def an_expired_token_is_rejected():
    with Server() as gce:
        zones = gce.compute.zones().list(project=PROJECT)
        zones.execute()
        gce.ask("expire", {})
        zones.execute()  # the client takes a new one
        same([call["status"] for call in gce.ask("calls") if call["method"] == "compute.zones.list"], [200, 401, 200])


def unknown_fields_are_recorded():
    with Server(group("web")) as gce:
        gce.credentials.refresh(google.auth.transport.requests.Request())
        path = f"/compute/v1/projects/{PROJECT}/zones/{ZONE}/instanceGroupManagers?maxResult=5"
        asked = urllib.request.Request(gce.url + path, headers={"Authorization": f"Bearer {gce.credentials.token}"})
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(asked)
        assert "maxResult" in " ".join(gce.ask("violations")), gce.ask("violations")


def the_proxy_injects_faults():
    with Server(group("web"), group("api"), with_proxy=True) as gce:
        listed = gce.groups.list(project=PROJECT, zone=ZONE)
        gce.strike({"fault": "error", "status": 403, "action": "GET .*/instanceGroupManagers", "count": 1})
        with refused(403, "rateLimitExceeded"):
            listed.execute()
        gce.strike({"fault": "html", "service": "compute", "count": 1})
        with refused(500):
            listed.execute()
        gce.strike({"fault": "looping_token", "action": "GET .*/instanceGroupManagers", "count": 1})
        same([len(page["items"]) for page in pages_of(gce.groups, listed)], [2, 2])
        gce.strike({"fault": "error", "status": 500, "service": "metadata", "count": 1})
        gce.credentials.refresh(google.auth.transport.requests.Request())
        for fault in ("reset", "reset_after", "cut"):
            gce.strike({"fault": fault, "service": "compute", "count": 1})
            with urllib_fails():
                urllib.request.urlopen(urllib.request.Request(
                    f"{gce.url}/compute/v1/projects/{PROJECT}/zones",
                    headers={"Authorization": f"Bearer {gce.credentials.token}"})).read()
        same(gce.ask("violations"), [])


@contextlib.contextmanager
def urllib_fails():
    try:
        yield
    except (OSError, http.client.HTTPException):
        return
    raise AssertionError("it did no harm")


def checks():
    """Every function between the line "The checks" and this one that takes no arguments and is no
    context manager."""
    first = machines_are_made_and_deleted_by_name.__code__.co_firstlineno
    return {name: value for name, value in globals().items()
            if getattr(value, "__module__", "") == __name__ and hasattr(value, "__code__")
            and value.__code__.co_filename == __file__ and value.__code__.co_argcount == 0
            and not hasattr(value, "__wrapped__")
            and first <= value.__code__.co_firstlineno < checks.__code__.co_firstlineno}


def main(wanted):
    failed, Server.programs = 0, Programs()
    for name, check in checks().items():
        if wanted and name not in wanted:
            continue
        started = time.monotonic()
        try:
            check()
            print(f"ok      {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    Server.programs.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
