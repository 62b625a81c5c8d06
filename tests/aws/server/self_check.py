"""Sends requests to server and proxy with botocore, a client that shares nothing with Capstan, and
checks the responses.

    build/python/bin/python tests/aws/server/self_check.py [CHECK...]
"""

import contextlib
import ctypes
import email.utils
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import botocore.config
import botocore.session
from botocore import UNSIGNED
from botocore.exceptions import ClientError, HTTPClientError
from botocore.parsers import ResponseParserError

HERE = pathlib.Path(__file__).resolve().parent
REGION, ZONES = "eu-central-1", [f"eu-central-1{zone}" for zone in "abc"]
ALL = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
OWNED = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["autoscaling:Describe*", "ec2:DescribeImages"], "Resource": "*"},
    {"Effect": "Allow", "Action": "autoscaling:SetDesiredCapacity", "Resource": "*",
     "Condition": {"StringEquals": {"aws:ResourceTag/owner": "capstan"}}},
    {"Effect": "Allow", "Action": "autoscaling:TerminateInstanceInAutoScalingGroup",
     "Resource": "arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/web"}]}
SESSION = botocore.session.get_session()


def user(name, policy, key):
    return {"name": name, "access_key_id": key, "secret_access_key": f"secret-of-{name}", "policy": policy}


WORLD = {
    "region": REGION,
    "identities": {
        "users": [user("all", ALL, "AKIAALLOWED000000001"), user("owned", OWNED, "AKIAOWNED00000000001")],
        "roles": [{"name": "machines", "policy": ALL}], "machine_role": "machines", "pod_role": "machines",
        "pod_token": "a-pods-token", "web_token": "a-web-token",
    },
}


def template(name, **data):
    return ["ec2", "CreateLaunchTemplate", {"LaunchTemplateName": name,
                                            "LaunchTemplateData": {"ImageId": "ami-ekslinux", **data}}]


def group(name, tags=(), zones=ZONES, **wanted):
    return ["autoscaling", "CreateAutoScalingGroup", {
        "AutoScalingGroupName": name, "MinSize": 0, "MaxSize": 10, "AvailabilityZones": list(zones),
        "Tags": [{"Key": key, "Value": value} for key, value in dict(tags).items()],
        **({} if "MixedInstancesPolicy" in wanted else {"LaunchTemplate": {"LaunchTemplateName": "web"}}), **wanted}]


def mixed(types, on_demand=0, percentage=0):
    return {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateName": "web", "Version": "$Default"},
                               "Overrides": [{"InstanceType": each} if isinstance(each, str) else each
                                             for each in types]},
            "InstancesDistribution": {"OnDemandBaseCapacity": on_demand,
                                      "OnDemandPercentageAboveBaseCapacity": percentage}}


def die_with_parent():
    death_signal = 1
    ctypes.CDLL(None).prctl(death_signal, signal.SIGKILL)


class Programs:
    """The processes of server and proxy, which all checks use one after the other."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.processes = []
        self.server = self.start("server", HERE)
        self.proxy = self.start("proxy", HERE.parents[1] / "clouds/proxy", self.server, HERE.parent / "wire.py")

    def start(self, what, program, *arguments):
        port = pathlib.Path(self.folder.name) / f"{what}.port"
        self.processes.append(subprocess.Popen([sys.executable, program, port, *arguments],
                                               preexec_fn=die_with_parent))
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
    """The server, reset to a new world for each check."""

    programs = None

    def __init__(self, *calls, with_proxy=False, **world):
        self.control_url = self.programs.server
        self.url = self.programs.proxy if with_proxy else self.control_url
        self.ask("reset", {})
        self.ask("world", {**WORLD, "calls": [template("web", InstanceType="m5.large"), *calls], **world})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def client(self, service, who="all", key=None, secret=None, token=None, **config):
        known = {each["name"]: each for each in WORLD["identities"]["users"]}[who]
        return SESSION.create_client(
            service, region_name=REGION, endpoint_url=self.url,
            aws_access_key_id=key or known["access_key_id"], aws_session_token=token,
            aws_secret_access_key=secret or known["secret_access_key"],
            config=botocore.config.Config(**{"retries": {"total_max_attempts": 1}, "read_timeout": 5, **config}))

    def ask(self, word, value=None, **more):
        data = json.dumps(more if value is None else value).encode() if value is not None or more else None
        with urllib.request.urlopen(f"{self.control_url}/control/{word}", data) as answer:
            return json.loads(answer.read())

    def strike(self, *rules):
        urllib.request.urlopen(f"{self.url}/proxy/rules", json.dumps(rules).encode()).read()

    def machines(self, name):
        found = self.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
        return found["AutoScalingGroups"][0]["Instances"]

    def set(self, name, desired):
        self.client("autoscaling").set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=desired)

    def activities(self, name, **wanted):
        return self.client("autoscaling").describe_scaling_activities(AutoScalingGroupName=name,
                                                                      **wanted)["Activities"]


@contextlib.contextmanager
def refused(code, *words):
    try:
        yield
    except ClientError as error:
        told = error.response["Error"]
        assert told["Code"] == code, told
        assert all(word in told["Message"] for word in words), told
        return
    raise AssertionError(f"{code} was expected, and it was done")


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


# The checks.


def sizes_are_held_in_their_limits():
    with Server(group("web", MinSize=1, MaxSize=3, DesiredCapacity=1)) as aws:
        scaling = aws.client("autoscaling")
        with refused("ValidationError", "New SetDesiredCapacity value 4 is above max value 3 for the"):
            aws.set("web", 4)
        with refused("ValidationError", "New SetDesiredCapacity value 0 is below min value 1 for the"):
            aws.set("web", 0)
        with refused("ValidationError", "AutoScalingGroup name not found"):
            aws.set("none", 1)
        [machine] = aws.machines("web")
        with refused("ValidationError", "Currently, desiredSize equals minSize (1)."):
            scaling.terminate_instance_in_auto_scaling_group(InstanceId=machine["InstanceId"],
                                                             ShouldDecrementDesiredCapacity=True)
        with refused("ValidationError", "No managed instance found for instance ID: i-0123"):
            scaling.terminate_instance_in_auto_scaling_group(InstanceId="i-0123", ShouldDecrementDesiredCapacity=True)
        with refused("AlreadyExists"):
            aws.client("autoscaling").create_auto_scaling_group(**group("web")[2])


def lists_have_pages_and_limits():
    with Server(*(group(f"g{number:03}") for number in range(121))) as aws:
        scaling = aws.client("autoscaling")
        found = scaling.get_paginator("describe_auto_scaling_groups").paginate(PaginationConfig={"PageSize": 100})
        same([len(page["AutoScalingGroups"]) for page in found], [100, 21])
        names = [f"g{number:03}" for number in range(101)]
        with refused("ValidationError", "(101)"):
            scaling.describe_auto_scaling_groups(AutoScalingGroupNames=names, MaxRecords=100)
        with refused("ValidationError", "(60)"):
            scaling.describe_auto_scaling_groups(AutoScalingGroupNames=names[:60])
        with refused("ValidationError", "'maxRecords'"):
            scaling.describe_auto_scaling_groups(MaxRecords=101)
        with refused("InvalidNextToken"):
            scaling.describe_auto_scaling_groups(NextToken="nonsense")
        named = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=names[:100], MaxRecords=100)
        same(len(named["AutoScalingGroups"]), 100)


def machines_are_pending_first_and_spread_over_zones():
    with Server(group("web"), delays={"launch": 5, "boot": 60, "terminate": 30}) as aws:
        aws.set("web", 4)
        same(aws.machines("web"), [])
        aws.ask("time", advance=5)
        found = aws.machines("web")
        same([each["LifecycleState"] for each in found], ["Pending"] * 4)
        same(sorted(each["AvailabilityZone"] for each in found), [ZONES[0], *ZONES])
        same([each["StatusCode"] for each in aws.activities("web")], ["InProgress"] * 4)
        aws.ask("time", advance=60)
        same({each["LifecycleState"] for each in aws.machines("web")}, {"InService"})
        same([each["StatusCode"] for each in aws.activities("web")], ["Successful"] * 4)
        gone = found[0]["InstanceId"]
        aws.client("autoscaling").terminate_instance_in_auto_scaling_group(InstanceId=gone,
                                                                           ShouldDecrementDesiredCapacity=True)
        same([each["LifecycleState"] for each in aws.machines("web") if each["InstanceId"] == gone], ["Terminating"])
        aws.ask("time", advance=30)
        same(len(aws.machines("web")), 3)
        same(aws.ask("groups")["web"]["desired"], 3)


def protected_machines_stay():
    with Server(group("web", DesiredCapacity=2)) as aws:
        kept, gone = (each["InstanceId"] for each in aws.machines("web"))
        scaling = aws.client("autoscaling")
        with refused("ValidationError", "The instance i-0123 is not part of Auto Scaling group"):
            scaling.set_instance_protection(AutoScalingGroupName="web", InstanceIds=["i-0123"],
                                            ProtectedFromScaleIn=True)
        scaling.set_instance_protection(AutoScalingGroupName="web", InstanceIds=[kept], ProtectedFromScaleIn=True)
        same([each["ProtectedFromScaleIn"] for each in aws.machines("web")], [True, False])
        aws.set("web", 0)
        same([each["InstanceId"] for each in aws.machines("web")], [kept])
        scaling.set_instance_protection(AutoScalingGroupName="web", InstanceIds=[kept], ProtectedFromScaleIn=False)
        same(aws.machines("web"), [])


def lack_of_capacity_is_a_failed_activity():
    with Server(group("web", zones=ZONES[:1]), capacity=[{"group": "web", "limit": 2}]) as aws:
        before = aws.ask("time", advance=0)["now"]
        aws.set("web", 3)
        same(len(aws.machines("web")), 2)
        newest, *others = aws.activities("web")
        same(newest["StatusCode"], "Failed")
        assert "We currently do not have sufficient m5.large capacity in the Availability Zone you requested" in \
            newest["StatusMessage"], newest
        same(newest["Description"], f"Launching a new EC2 instance.  Status Reason: {newest['StatusMessage']}")
        same([each["StatusCode"] for each in others], ["Successful"] * 2)
        scaling = aws.client("autoscaling")
        first = scaling.describe_scaling_activities(AutoScalingGroupName="web", MaxRecords=2)
        rest = scaling.describe_scaling_activities(AutoScalingGroupName="web", NextToken=first["NextToken"])
        same([len(first["Activities"]), len(rest["Activities"])], [2, 1])
        late = aws.activities("web", Filters=[{"Name": "StartTimeLowerBound", "Values": ["2100-01-01T00:00:00Z"]}])
        same(late, [])
        same(len(aws.activities("web", Filters=[{"Name": "StartTimeLowerBound", "Values": [before]}])), 3)
        aws.ask("capacity", [])
        aws.ask("time", advance=31)
        same(len(aws.machines("web")), 3)


def an_exhausted_zone_is_skipped():
    with Server(group("web"), capacity=[{"zone": ZONES[0], "limit": 0}]) as aws:
        aws.set("web", 3)
        same(sorted(each["AvailabilityZone"] for each in aws.machines("web")), [ZONES[1], ZONES[1], ZONES[2]])


def a_mixed_group_follows_its_policy():
    with Server(group("web", MixedInstancesPolicy=mixed(["c5.large", "m5.xlarge"], on_demand=1)),
                capacity=[{"type": "c5.large", "market": "spot", "limit": 1},
                          {"type": "m5.xlarge", "market": "spot", "limit": 1, "code": "UnfulfillableCapacity"}]) as aws:
        aws.set("web", 4)
        found = [(each["type"], each["market"]) for each in aws.ask("machines")]
        same(found, [("c5.large", "on-demand"), ("c5.large", "spot"), ("m5.xlarge", "spot")])
        same({each["InstanceType"] for each in aws.machines("web")}, {"c5.large", "m5.xlarge"})
        assert aws.activities("web")[0]["StatusMessage"].startswith(
            "Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to"), \
            aws.activities("web")[0]


def types_are_found_by_requirements():
    wanted = {"VCpuCount": {"Min": 2, "Max": 4}, "MemoryMiB": {"Min": 16384, "Max": 32768}}
    by_requirements = {"InstanceRequirements": {**wanted, "AllowedInstanceTypes": ["m5.*"]}}
    with Server(group("web", MixedInstancesPolicy=mixed([by_requirements]))) as aws:
        ec2 = aws.client("ec2")

        def found(architecture, **more):
            answer = ec2.get_instance_types_from_instance_requirements(
                ArchitectureTypes=[architecture], VirtualizationTypes=["hvm"],
                InstanceRequirements={**wanted, **more})
            return [each["InstanceType"] for each in answer["InstanceTypes"]]

        same(found("x86_64", AllowedInstanceTypes=["m*"]), ["m5.xlarge", "m6i.xlarge"])
        same(found("arm64"), ["m6g.xlarge"])
        same(found("x86_64", AcceleratorCount={"Min": 1}, AcceleratorManufacturers=["nvidia"]),
             ["g4dn.xlarge", "g5.xlarge"])
        aws.set("web", 1)
        same([each["InstanceType"] for each in aws.machines("web")], ["m5.xlarge"])


def instance_types_have_pages():
    with Server() as aws:
        ec2 = aws.client("ec2")
        pages = list(ec2.get_paginator("describe_instance_types").paginate(PaginationConfig={"PageSize": 20}))
        assert len(pages) == 2 and len(pages[0]["InstanceTypes"]) == 20, [len(page["InstanceTypes"]) for page in pages]
        with refused("InvalidInstanceType", "m5.none"):
            ec2.describe_instance_types(InstanceTypes=["m5.large", "m5.none"])
        [known] = ec2.describe_instance_types(InstanceTypes=["g4dn.xlarge"])["InstanceTypes"]
        same(known["GpuInfo"]["Gpus"][0]["Name"], "T4")


def an_eks_node_group_has_an_auto_scaling_group():
    with Server(["eks", "CreateCluster", {"name": "shop", "roleArn": "arn:aws:iam::123456789012:role/machines",
                                          "resourcesVpcConfig": {"subnetIds": []}}]) as aws:
        subnets = [each["SubnetId"] for each in aws.client("ec2").describe_subnets()["Subnets"]]
        aws.ask("calls", [["eks", "CreateNodegroup", {
            "clusterName": "shop", "nodegroupName": "web", "subnets": subnets, "capacityType": "SPOT",
            "nodeRole": "arn:aws:iam::123456789012:role/machines", "instanceTypes": ["m5.large", "c5.large"],
            "labels": {"tier": "web"}, "taints": [{"key": "only", "effect": "NO_SCHEDULE"}],
            "scalingConfig": {"minSize": 0, "maxSize": 5, "desiredSize": 1}}]])
        told = aws.client("eks").describe_nodegroup(clusterName="shop", nodegroupName="web")["nodegroup"]
        same(told["labels"], {"tier": "web"})
        same(told["taints"], [{"key": "only", "effect": "NO_SCHEDULE"}])
        name = told["resources"]["autoScalingGroups"][0]["name"]
        same(len(aws.machines(name)), 1)
        tags = aws.ask("groups")[name]["tags"]
        same((tags["eks:cluster-name"], tags["eks:nodegroup-name"]), ("shop", "web"))
        with refused("ResourceNotFoundException"):
            aws.client("eks").describe_nodegroup(clusterName="shop", nodegroupName="none")


def a_replaced_machine_is_an_activity():
    with Server(group("web", DesiredCapacity=1), delays={"terminate": 10, "boot": 10}) as aws:
        aws.ask("time", advance=10)
        [machine] = aws.machines("web")
        aws.ask("terminate", instance=machine["InstanceId"])
        states = sorted((each["LifecycleState"], each["HealthStatus"]) for each in aws.machines("web"))
        same(states, [("Pending", "Healthy"), ("Terminating", "Unhealthy")])
        same(aws.ask("groups")["web"]["desired"], 1)


def a_group_is_deleted_when_it_is_empty():
    with Server(group("web", DesiredCapacity=1), delays={"terminate": 10}) as aws:
        scaling = aws.client("autoscaling")
        with refused("ResourceInUse"):
            scaling.delete_auto_scaling_group(AutoScalingGroupName="web")
        aws.set("web", 0)
        with refused("ScalingActivityInProgress"):
            scaling.delete_auto_scaling_group(AutoScalingGroupName="web")
        aws.ask("time", advance=10)
        scaling.delete_auto_scaling_group(AutoScalingGroupName="web")
        same(scaling.describe_auto_scaling_groups()["AutoScalingGroups"], [])


def suspended_processes_do_not_work():
    with Server(group("web")) as aws:
        aws.client("autoscaling").suspend_processes(AutoScalingGroupName="web", ScalingProcesses=["Launch"])
        aws.set("web", 1)
        same(aws.machines("web"), [])
        same(aws.ask("violations"), [])
        aws.client("autoscaling").resume_processes(AutoScalingGroupName="web")
        same(len(aws.machines("web")), 1)


def lists_may_be_late():
    with Server(group("web")) as aws:
        aws.ask("time", advance=100)
        aws.ask("lag", 60)
        aws.set("web", 2)
        same(aws.machines("web"), [])
        aws.ask("time", advance=59)
        same(aws.machines("web"), [])
        aws.ask("time", advance=2)
        same(len(aws.machines("web")), 2)


def requests_are_held_to_their_signature():
    with Server() as aws:
        wrong = "The request signature we calculated does not match"
        with refused("SignatureDoesNotMatch", wrong):
            aws.client("autoscaling", secret="another").describe_auto_scaling_groups()
        with refused("AuthFailure"):
            aws.client("ec2", secret="another").describe_images()
        with refused("InvalidSignatureException", wrong):
            aws.client("eks", secret="another").describe_nodegroup(clusterName="a b", nodegroupName="c")
        with refused("InvalidClientTokenId"):
            aws.client("autoscaling", key="AKIANOTKNOWN00000001").describe_auto_scaling_groups()
        with refused("ResourceNotFoundException"):
            aws.client("eks").describe_nodegroup(clusterName="a b", nodegroupName="c d")
        with refused("MissingAuthenticationToken"):
            aws.client("autoscaling", signature_version=UNSIGNED).describe_auto_scaling_groups()


def aws_has_a_clock_of_its_own():
    with Server() as aws:
        aws.ask("time", offset=3600)
        with refused("SignatureDoesNotMatch", "Signature expired: ", " is now earlier than "):
            aws.client("autoscaling").describe_auto_scaling_groups()
        aws.ask("time", offset=-3600)
        with refused("SignatureDoesNotMatch", "Signature not yet current: "):
            aws.client("sts").get_caller_identity()


def policies_are_held_by_action_resource_and_condition():
    with Server(group("web", tags={"owner": "capstan"}, DesiredCapacity=1),
                group("other", DesiredCapacity=1)) as aws:
        scaling = aws.client("autoscaling", who="owned")
        same(len(scaling.describe_auto_scaling_groups()["AutoScalingGroups"]), 2)
        scaling.set_desired_capacity(AutoScalingGroupName="web", DesiredCapacity=2)
        with refused("AccessDenied", "arn:aws:iam::123456789012:user/owned is not authorized to perform: "
                     "autoscaling:SetDesiredCapacity on resource: arn:aws:autoscaling:", "/other"):
            scaling.set_desired_capacity(AutoScalingGroupName="other", DesiredCapacity=2)
        machines = {each["group"]: each["id"] for each in aws.ask("machines")}
        scaling.terminate_instance_in_auto_scaling_group(InstanceId=machines["web"],
                                                         ShouldDecrementDesiredCapacity=True)
        with refused("AccessDenied"):
            scaling.terminate_instance_in_auto_scaling_group(InstanceId=machines["other"],
                                                             ShouldDecrementDesiredCapacity=True)
        with refused("UnauthorizedOperation"):
            aws.client("ec2", who="owned").describe_instance_types()
        with refused("AccessDeniedException"):
            aws.client("eks", who="owned").describe_nodegroup(clusterName="a", nodegroupName="b")
        with refused("UnauthorizedOperation"):
            aws.client("ec2", who="owned").describe_instance_types(DryRun=True)
        with refused("DryRunOperation"):
            aws.client("ec2", who="owned").describe_images(DryRun=True)
        told = aws.client("iam").simulate_principal_policy(
            PolicySourceArn="arn:aws:iam::123456789012:user/owned",
            ActionNames=["autoscaling:DescribeAutoScalingGroups", "eks:DescribeNodegroup"])
        same([each["EvalDecision"] for each in told["EvaluationResults"]], ["allowed", "implicitDeny"])
        tag = {"ContextKeyName": "aws:ResourceTag/owner", "ContextKeyType": "string"}
        for context, expected in (([], ("implicitDeny", ["aws:ResourceTag/owner"])),
                                  ([{**tag, "ContextKeyValues": ["capstan"]}], ("allowed", []))):
            [told] = aws.client("iam").simulate_principal_policy(
                PolicySourceArn="arn:aws:iam::123456789012:user/owned", ContextEntries=context,
                ActionNames=["autoscaling:SetDesiredCapacity"])["EvaluationResults"]
            same((told["EvalDecision"], told["MissingContextValues"]), expected)


def a_pod_assumes_its_role():
    with Server() as aws:
        sts = aws.client("sts", signature_version=UNSIGNED)
        wanted = {"RoleArn": "arn:aws:iam::123456789012:role/machines", "RoleSessionName": "pod"}
        with refused("InvalidIdentityToken"):
            sts.assume_role_with_web_identity(WebIdentityToken="another", **wanted)
        given = sts.assume_role_with_web_identity(WebIdentityToken="a-web-token", **wanted)["Credentials"]
        own = {"key": given["AccessKeyId"], "secret": given["SecretAccessKey"]}
        aws.client("autoscaling", token=given["SessionToken"], **own).describe_auto_scaling_groups()
        with refused("InvalidClientTokenId"):
            aws.client("autoscaling", token="another", **own).describe_auto_scaling_groups()
        aws.ask("expire", access_key_id=given["AccessKeyId"])
        with refused("ExpiredToken"):
            aws.client("autoscaling", token=given["SessionToken"], **own).describe_auto_scaling_groups()
        with refused("RequestExpired"):
            aws.client("ec2", token=given["SessionToken"], **own).describe_images()


def machines_and_pods_are_given_credentials():
    with Server() as aws:
        def get(path, method="GET", **headers):
            request = urllib.request.Request(aws.url + path, method=method, headers={
                name.replace("_", "-"): value for name, value in headers.items()})
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, ""

        same(get("/latest/meta-data/iam/security-credentials/")[0], 401)
        _, token = get("/latest/api/token", "PUT", X_aws_ec2_metadata_token_ttl_seconds="21600")
        _, role = get("/latest/meta-data/iam/security-credentials/", X_aws_ec2_metadata_token=token)
        _, text = get(f"/latest/meta-data/iam/security-credentials/{role}", X_aws_ec2_metadata_token=token)
        same(get("/v1/credentials")[0], 401)
        for given in (json.loads(text), json.loads(get("/v1/credentials", Authorization="a-pods-token")[1])):
            who = aws.client("sts", key=given["AccessKeyId"], secret=given["SecretAccessKey"], token=given["Token"])
            assert ":assumed-role/machines/" in who.get_caller_identity()["Arn"]


def a_spot_instance_gets_a_notice_and_is_interrupted():
    with Server(["sqs", "CreateQueue", {"QueueName": "events"}], group("web", DesiredCapacity=1),
                queue_name="events") as aws:
        [machine] = aws.machines("web")
        queue = aws.client("sqs")
        url = queue.get_queue_url(QueueName="events")["QueueUrl"]
        aws.ask("interrupt", instance=machine["InstanceId"], notice=120)
        [message] = queue.receive_message(QueueUrl=url)["Messages"]
        told = json.loads(message["Body"])
        same((told["detail-type"], told["detail"]), ("EC2 Spot Instance Interruption Warning", {
            "instance-id": machine["InstanceId"], "instance-action": "terminate"}))
        queue.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        same(aws.machines("web")[0]["InstanceId"], machine["InstanceId"])
        aws.ask("time", advance=121)
        aws.ask("groups")
        assert aws.machines("web")[0]["InstanceId"] != machine["InstanceId"]


def unknown_parameters_are_recorded():
    with Server() as aws:
        same(aws.ask("violations"), [])
        aws.client("autoscaling").describe_auto_scaling_groups(MaxRecords=5)
        same(aws.ask("violations"), [])
        body = b"Action=DescribeAutoScalingGroups&Version=2011-01-01&MaxRecord=5&AutoScalingGroupNames.1=a"
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(urllib.request.Request(aws.url, body, {
                "Authorization": "AWS4-HMAC-SHA256 Credential=A/20260101/eu-central-1/autoscaling/aws4_request, "
                                 "SignedHeaders=host, Signature=0",
                "Content-Type": "application/x-www-form-urlencoded"}))
        assert "has no MaxRecord" in aws.ask("violations")[0], aws.ask("violations")


def the_proxy_injects_faults():
    with Server(group("web"), group("api"), with_proxy=True) as aws:
        scaling = aws.client("autoscaling")
        aws.strike({"fault": "error", "action": "Set.*", "count": 1})
        with refused("Throttling", "Rate exceeded"):
            aws.set("web", 1)
        aws.set("web", 1)
        aws.strike({"fault": "error", "code": "RequestLimitExceeded", "status": 503, "service": "ec2"})
        with refused("RequestLimitExceeded"):
            aws.client("ec2").describe_images()
        for fault in ("reset", "reset_after", "cut"):
            aws.strike({"fault": fault, "count": 1})
            try:
                scaling.describe_auto_scaling_groups()
                raise AssertionError(f"{fault} did no harm")
            except (HTTPClientError, ResponseParserError):
                pass
        aws.strike({"fault": "html", "count": 1})
        with refused("500"):
            scaling.describe_auto_scaling_groups()
        aws.strike({"fault": "skew", "seconds": -7200})
        told = scaling.describe_auto_scaling_groups()["ResponseMetadata"]["HTTPHeaders"]["date"]
        ahead = email.utils.parsedate_to_datetime(told).timestamp() - time.time()
        assert -7210 < ahead < -7190, told
        aws.strike({"fault": "looping_token", "count": 1})
        pages = list(scaling.get_paginator("describe_auto_scaling_groups").paginate())
        same([len(page["AutoScalingGroups"]) for page in pages], [2, 2])
        for fault in ("hang", "hang_after", "half_open"):
            aws.strike({"fault": fault, "seconds": 60, "count": 1})
            try:
                aws.client("autoscaling", read_timeout=0.3).describe_auto_scaling_groups()
                raise AssertionError(f"{fault}: it answered")
            except HTTPClientError:
                pass
        same(aws.ask("violations"), [])


def checks():
    """Every function between the line "The checks" and this one."""
    first = sizes_are_held_in_their_limits.__code__.co_firstlineno
    return {name: value for name, value in globals().items()
            if getattr(value, "__module__", "") == __name__ and hasattr(value, "__code__")
            and value.__code__.co_filename == __file__
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
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    sys.exit(main(sys.argv[1:]))
