"""Shows Capstan with Auto Scaling groups that are not AWS's: what `./dev aws` does.

    build/python/bin/python tests/aws/walk [FOLDER] [-- OPTION...]

Starts the server of tests/aws with two groups, one for each of two zones, and in front of it `capstan cluster --run` with
the story beside this file; options are those of `capstan cluster`. Says what becomes of the groups, as AWS lists them.
FOLDER gets the kubeconfig and the configuration. Ends when the cluster does, with its exit code; 1: no group has grown, 77:
there is no moto.
"""

import ctypes
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
CAPSTAN = "build/release/bin/capstan"
REGION, ACCOUNT, CLUSTER = "eu-central-1", "123456789012", "shop"


def policy():
    """The least that Capstan and its doctor need, as it ships, for this account."""
    statements = []
    for name in ("policy.json", "policy_doctor.json"):
        text = pathlib.Path("deploy/aws", name).read_text(encoding="utf-8")
        for word, value in (("REGION", REGION), ("ACCOUNT", ACCOUNT), ("CLUSTER", CLUSTER)):
            text = text.replace(word, value)
        statements += json.loads(text)["Statement"]
    return {"Version": "2012-10-17", "Statement": statements}


def group_calls(name, zone):
    tags = {"k8s.io/cluster-autoscaler/enabled": "true", f"k8s.io/cluster-autoscaler/{CLUSTER}": "owned"}
    return [
        ["ec2", "CreateLaunchTemplate", {
            "LaunchTemplateName": name,
            "LaunchTemplateData": {"ImageId": "ami-ekslinux", "InstanceType": "m5.large"}}],
        ["autoscaling", "CreateAutoScalingGroup", {
            "AutoScalingGroupName": name, "MinSize": 0, "MaxSize": 10, "DesiredCapacity": 0,
            "AvailabilityZones": [zone], "LaunchTemplate": {"LaunchTemplateName": name, "Version": "$Latest"},
            "Tags": [{"Key": key, "Value": value, "PropagateAtLaunch": True} for key, value in tags.items()]}],
    ]


def world():
    return {
        "region": REGION,
        "calls": group_calls("web-a", f"{REGION}a") + group_calls("web-b", f"{REGION}b"),
        "delays": {"launch": 0.5, "boot": 2, "terminate": 1},
        "identities": {"roles": [{"name": "capstan-shop", "policy": policy()}], "machine_role": "capstan-shop"},
    }


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start(command, **options):
    return subprocess.Popen(command, preexec_fn=die_with_parent, **options)


def wait_for(path, process):
    """Until a program has written the file; False: it ended before."""
    while not path.exists() or not path.read_text(encoding="utf-8"):
        if process.poll() is not None:
            return False
        time.sleep(0.05)
    return True


def groups_of(server):
    """By name: how many machines it wants, and how many are in service."""
    with urllib.request.urlopen(f"{server}/control/groups", timeout=5) as answer:
        wanted = {name: group["desired"] for name, group in json.load(answer).items()}
    with urllib.request.urlopen(f"{server}/control/machines", timeout=5) as answer:
        machines = json.load(answer)
    return {name: (desired, sum(1 for machine in machines
                                if machine["group"] == name and machine["state"] == "InService"))
            for name, desired in wanted.items()}


def tell(before, now):
    for name, (desired, running) in sorted(now.items()):
        if before.get(name) != (desired, running):
            print(f"   AWS: Auto Scaling group {name}: {desired} desired, {running} in service", flush=True)


def follow(server, cluster):
    """The most machines that were in service at a time."""
    said, most = {}, 0
    while cluster.poll() is None:
        try:
            now = groups_of(server)
            tell(said, now)
            said, most = now, max(most, sum(running for _, running in now.values()))
        except (urllib.error.URLError, OSError):
            pass  # the next look tells it
        time.sleep(0.5)
    return most


def main(folder, options):
    if importlib.util.find_spec("moto") is None:
        print("there is no moto: ./dev packages test installs it", file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    folder.mkdir(parents=True, exist_ok=True)
    port, log = folder / "server.port", (folder / "server.log").open("w", encoding="utf-8")
    for left in (port, folder / "kubeconfig"):
        left.unlink(missing_ok=True)
    (folder / "world.json").write_text(json.dumps(world()), encoding="utf-8")
    server_process = start([sys.executable, HERE.parent / "server", port, folder / "world.json"], stdout=log, stderr=log)
    if not wait_for(port, server_process):
        sys.exit(f"the server does not come up: {folder / 'server.log'} says why")
    server = f"http://127.0.0.1:{port.read_text(encoding='utf-8')}"
    story = (HERE / "story.toml").read_text(encoding="utf-8").replace("SERVER", server)
    (folder / "story.toml").write_text(story, encoding="utf-8")
    cluster = start([CAPSTAN, "cluster", folder / "story.toml", "--run", "--dir", folder, *options])
    if wait_for(folder / "kubeconfig", cluster):
        start([sys.executable, HERE.parent / "joiner", folder / "kubeconfig", server], stdout=log, stderr=log)
        try:
            if follow(server, cluster) == 0:
                sys.exit(cluster.wait() or 1)
        except KeyboardInterrupt:
            pass  # the cluster has been told, too
    sys.exit(cluster.wait())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    with tempfile.TemporaryDirectory(prefix="capstan-aws-") as temporary:
        main(pathlib.Path(arguments[0] if at > 0 else temporary), arguments[at + 1:])
