"""Shows Capstan with Auto Scaling groups of a fake AWS: what `./dev aws` runs.

    build/python/bin/python tests/aws/walk [FOLDER] [-- OPTION...]

There are two groups, one in each of two zones; tests/clouds/walk.py describes the rest.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "clouds"))

import walk  # noqa: E402

REGION, ACCOUNT, CLUSTER = "eu-central-1", "123456789012", "shop"


def policy():
    """The shipped policies, the least that Capstan and `capstan doctor` need, for this account."""
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


def sizes(groups, machines):
    return {name: (group["desired"], sum(1 for machine in machines
                                         if machine["group"] == name and machine["state"] == "InService"))
            for name, group in groups.items()}


if __name__ == "__main__":
    walk.main(walk.Cloud(name="aws", prefix="aws:///", package="moto", folder=HERE.parent, world=world(), sizes=sizes,
                         sentence="AWS: Auto Scaling group {name}: {wanted} desired, {running} in service"),
              sys.argv[1:])
