#!/usr/bin/env python3
"""model_oracle.py PYTHON EXCHANGES: checks requests and parsed responses of the API against botocore's models.

PYTHON is the interpreter that has botocore. Without botocore the exit status is 77, or 1 with CI=true. EXCHANGES is
the program built from exchanges.cpp. In each request, names, types, required members, enums, ranges and list sizes are
checked, and botocore must write the same request from its parameters. A response may have only elements that the model
knows, and botocore must read from it what the API read.
"""
import datetime
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

VERSIONS = {"autoscaling": "2011-01-01", "ec2": "2016-11-15", "eks": "2017-11-01", "iam": "2010-05-08",
            "sqs": "2012-11-05", "sts": "2011-06-15"}


class Wrong(Exception):
    pass


def demand(holds, *what):
    if not holds:
        raise Wrong(" ".join(str(part) for part in what))


# Requests

def wire_name(protocol, name, member):
    """How a request names a member of a structure."""
    serialized = member.serialization
    if protocol == "ec2":
        if "queryName" in serialized:
            return serialized["queryName"]
        if "name" in serialized:
            return serialized["name"][0].upper() + serialized["name"][1:]
        return name
    return serialized.get("name", name)


def tree_of(parameters):
    """{"A": {"1": {"B": "x"}}} of A.1.B=x"""
    tree = {}
    for name, value in parameters:
        here = tree
        *parents, last = name.split(".")
        for parent in parents:
            here = here.setdefault(parent, {})
            demand(isinstance(here, dict), name, "lies below a value")
        demand(last not in here, name, "stands there twice")
        here[last] = value
    return tree


def understood(protocol, shape, value, path):
    """The tree as parameters for botocore."""
    kind = shape.type_name
    if kind == "structure":
        demand(isinstance(value, dict), path, "is no structure")
        members = {wire_name(protocol, name, member): (name, member) for name, member in shape.members.items()}
        out = {}
        for key, inner in value.items():
            demand(key in members, path, "has no member", key)
            name, member = members[key]
            out[name] = understood(protocol, member, inner, f"{path}.{key}")
        return out
    if kind == "list":
        demand(isinstance(value, dict), path, "is no list")
        if protocol != "ec2" and not shape.serialization.get("flattened"):
            item = shape.member.serialization.get("name", "member")
            demand(list(value) == [item], path, "has", list(value), "in the place of", item)
            value = value[item]
        demand(list(value) == [str(n + 1) for n in range(len(value))], path, "is not numbered from one:", list(value))
        return [understood(protocol, shape.member, inner, f"{path}.{n}") for n, inner in value.items()]
    demand(isinstance(value, str), path, "is no value")
    if kind in ("integer", "long"):
        demand(re.fullmatch(r"-?[0-9]+", value), path, value, "is no whole number")
        return int(value)
    if kind in ("double", "float"):
        return float(value)
    if kind == "boolean":
        demand(value in ("true", "false"), path, value, "is neither true nor false")
        return value == "true"
    demand(kind == "string", path, "is a", kind)
    return value


def check_value(shape, value, path):
    kind = shape.type_name
    if kind == "structure":
        demand(isinstance(value, dict), path, "is no structure")
        for name in shape.required_members:
            demand(name in value, path, "lacks", name)
        for name, inner in value.items():
            demand(name in shape.members, path, "has no member", name)
            check_value(shape.members[name], inner, f"{path}.{name}")
        return
    kinds = {"list": list, "string": str, "integer": int, "long": int, "double": float, "boolean": bool}
    demand(kind in kinds and type(value) is kinds[kind], path, value, "is no", kind)
    if kind == "list":
        for inner in value:
            check_value(shape.member, inner, path + "[]")
    if kind == "string" and getattr(shape, "enum", None):
        demand(value in shape.enum, path, value, "is none of", shape.enum[:20])
    size = len(value) if kind in ("list", "string") else value
    demand(size >= shape.metadata.get("min", size), path, size, "is below the least,", shape.metadata.get("min"))
    demand(size <= shape.metadata.get("max", size), path, size, "is above the most,", shape.metadata.get("max"))


def as_text(value):
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


class Service:
    def __init__(self, name):
        import botocore.loaders
        import botocore.model
        import botocore.parsers
        import botocore.serialize
        model = botocore.loaders.Loader().load_service_model(name, "service-2", VERSIONS[name])
        self.model = botocore.model.ServiceModel(model, name)
        self.protocol = self.model.metadata["protocol"]
        self.serializer = botocore.serialize.create_serializer(self.protocol, include_validation=False)
        self.parser = botocore.parsers.create_parser(self.protocol)

    def written(self, parameters, operation):
        return self.serializer.serialize_to_request(parameters, operation)

    def request(self, request):
        """The operation and its parameters."""
        authorization = request["headers"].get("authorization", "")
        if "Action=AssumeRoleWithWebIdentity&" in request["body"]:
            demand(not authorization, "a token in the place of a signature is signed")
            return self.query_request(request)
        region = "us-east-1" if self.model.service_name == "iam" else "eu-central-1"  # IAM has one region
        scope = f"/{region}/{self.model.signing_name}/aws4_request"
        demand(scope in authorization, "the scope is not", scope, "in", authorization)
        if self.protocol in ("query", "ec2"):
            return self.query_request(request)
        if self.protocol == "json":
            return self.json_request(request)
        return self.rest_request(request)

    def query_request(self, request):
        demand(request["method"] == "POST", "the method is", request["method"])
        demand(urllib.parse.urlsplit(request["url"]).path == "/", "the path is not / in", request["url"])
        demand(request["headers"].get("content-type", "").startswith("application/x-www-form-urlencoded"), "no form")
        pairs = urllib.parse.parse_qsl(request["body"], keep_blank_values=True, strict_parsing=True)
        action, version = (dict(pairs).get(name) for name in ("Action", "Version"))
        demand(version == self.model.api_version, "the version is", version)
        demand(action in self.model.operation_names, "there is no action", action)
        operation = self.model.operation_model(action)
        own = [(name, value) for name, value in pairs if name not in ("Action", "Version")]
        parameters = {}
        if operation.input_shape is not None:
            parameters = understood(self.protocol, operation.input_shape, tree_of(own), action)
            check_value(operation.input_shape, parameters, action)
        else:
            demand(not own, action, "takes no parameters")
        written = {name: as_text(value) for name, value in self.written(parameters, operation)["body"].items()}
        demand(written == dict(pairs), action, "is written as", written, "by botocore, and as", dict(pairs), "here")
        return operation, parameters

    def json_request(self, request):
        prefix, action = request["headers"]["x-amz-target"].split(".")
        demand(prefix == self.model.metadata["targetPrefix"], "the target begins with", prefix)
        demand(request["headers"]["content-type"] == "application/x-amz-json-" + self.model.metadata["jsonVersion"],
               "the type is", request["headers"]["content-type"])
        operation = self.model.operation_model(action)
        parameters = json.loads(request["body"])
        check_value(operation.input_shape, parameters, action)
        written = json.loads(self.written(parameters, operation)["body"])
        demand(written == parameters, action, "is written as", written, "by botocore")
        return operation, parameters

    def rest_request(self, request):
        path = urllib.parse.urlsplit(request["url"]).path
        for name in self.model.operation_names:
            operation = self.model.operation_model(name)
            if operation.http["method"] != request["method"]:
                continue
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(operation.http["requestUri"]))
            match = re.fullmatch(pattern, path)
            if not match:
                continue
            members = {member.serialization.get("name", key): key for key, member in operation.input_shape.members.items()}
            parameters = {members[key]: urllib.parse.unquote(value) for key, value in match.groupdict().items()}
            check_value(operation.input_shape, parameters, name)
            written = self.written(parameters, operation)
            demand(written["url_path"] == path, name, "has the path", written["url_path"], "of botocore, not", path)
            return operation, parameters
        raise Wrong(f"no operation of {self.model.service_name} has the path {path}")

    def answer(self, answer, operation):
        """What botocore reads; None: the operation has no output, or the status is an error."""
        body = answer["body"].encode()
        if answer["status"] >= 300 or operation.output_shape is None:
            return None
        if self.protocol in ("query", "ec2"):
            check_elements(operation, ElementTree.fromstring(body))
        response = {"status_code": answer["status"], "headers": {}, "body": body, "context": {}}
        out = self.parser.parse(response, operation.output_shape)
        out.pop("ResponseMetadata", None)
        return out


def local(tag):
    return tag.split("}")[-1]


def check_elements(operation, root):
    """Fails if a recorded response has an element that the model does not know."""
    shape = operation.output_shape
    wrapper = shape.serialization.get("resultWrapper")
    if wrapper:
        root = next(child for child in root if local(child.tag) == wrapper)
    check_children(shape, root, operation.name, {"requestId", "RequestId", "ResponseMetadata"})


def check_children(shape, node, path, also=frozenset()):
    if shape.type_name == "structure":
        members = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        for child in node:
            name = local(child.tag)
            if name in also:
                continue
            demand(name in members, "the answer's", path, "has an unknown", name)
            check_children(members[name], child, f"{path}.{name}")
    elif shape.type_name == "list":
        name = shape.member.serialization.get("name", "member")
        for child in node:
            demand(local(child.tag) == name, "the answer's", path, "has", local(child.tag), "in the place of", name)
            check_children(shape.member, child, path + "[]")


# Responses, as the API must read them

def time_text(value):
    if value is None:
        return None
    value = value.astimezone(datetime.timezone.utc)
    fraction = f".{value.microsecond:06}".rstrip("0") if value.microsecond else ""
    return value.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"


def reference(value):
    value = value or {}
    out = {"id": value.get("LaunchTemplateId", ""), "name": value.get("LaunchTemplateName", ""),
           "version": value.get("Version", "")}
    return out if out["id"] or out["name"] else None


def requirements(value):
    if not value:
        return None
    ec2 = SERVICES["ec2"]
    asked = ec2.written({"InstanceRequirements": value},
                        ec2.model.operation_model("GetInstanceTypesFromInstanceRequirements"))["body"]
    prefix = "InstanceRequirements."
    parameters = {name[len(prefix):]: as_text(text) for name, text in asked.items() if name.startswith(prefix)}

    def bound(name, end):
        return value.get(name, {}).get(end)
    return {"vcpu_min": bound("VCpuCount", "Min"), "vcpu_max": bound("VCpuCount", "Max"),
            "memory_mib_min": bound("MemoryMiB", "Min"), "memory_mib_max": bound("MemoryMiB", "Max"),
            "accelerator_count_min": bound("AcceleratorCount", "Min"),
            "accelerator_count_max": bound("AcceleratorCount", "Max"),
            "accelerator_manufacturers": value.get("AcceleratorManufacturers", []),
            "accelerator_types": value.get("AcceleratorTypes", []),
            "parameters": sorted([name, text] for name, text in parameters.items())}


def tags_of(value):
    return {tag["Key"]: tag.get("Value") or "" for tag in value or []}


def mixed(value):
    if not value:
        return None
    launch, shares = value["LaunchTemplate"], value.get("InstancesDistribution", {})
    return {"launch_template": reference(launch.get("LaunchTemplateSpecification")),
            "overrides": [{"instance_type": one.get("InstanceType", ""),
                           "launch_template": reference(one.get("LaunchTemplateSpecification")),
                           "weighted_capacity": one.get("WeightedCapacity", ""),
                           "requirements": requirements(one.get("InstanceRequirements"))}
                          for one in launch.get("Overrides", [])],
            "on_demand_base": shares.get("OnDemandBaseCapacity", 0),
            "on_demand_percentage": shares.get("OnDemandPercentageAboveBaseCapacity", 100),
            "spot_allocation_strategy": shares.get("SpotAllocationStrategy", ""),
            "spot_max_price": shares.get("SpotMaxPrice", "")}


def instance(value):
    return {"id": value["InstanceId"], "zone": value["AvailabilityZone"],
            "instance_type": value.get("InstanceType", ""), "lifecycle_state": value["LifecycleState"],
            "health_status": value["HealthStatus"], "launch_template": reference(value.get("LaunchTemplate")),
            "launch_configuration": value.get("LaunchConfigurationName", ""),
            "weighted_capacity": value.get("WeightedCapacity", ""), "is_protected": value["ProtectedFromScaleIn"]}


def group(value):
    subnets = value.get("VPCZoneIdentifier", "").split(",")
    return {"name": value["AutoScalingGroupName"], "arn": value.get("AutoScalingGroupARN", ""),
            "min": value["MinSize"], "max": value["MaxSize"], "desired": value["DesiredCapacity"],
            "zones": value["AvailabilityZones"], "subnets": [one.strip() for one in subnets if one.strip()],
            "launch_configuration": value.get("LaunchConfigurationName", ""),
            "launch_template": reference(value.get("LaunchTemplate")),
            "mixed": mixed(value.get("MixedInstancesPolicy")), "tags": tags_of(value.get("Tags")),
            "instances": [instance(one) for one in value.get("Instances", [])], "status": value.get("Status", ""),
            "suspended_processes": [one["ProcessName"] for one in value.get("SuspendedProcesses", [])],
            "desired_capacity_type": value.get("DesiredCapacityType", ""),
            "has_warm_pool": "WarmPoolConfiguration" in value, "created": time_text(value["CreatedTime"]),
            "protects_new_instances": value.get("NewInstancesProtectedFromScaleIn", False)}


def groups(outputs):
    by_name = {one["AutoScalingGroupName"]: group(one) for out in outputs for one in out["AutoScalingGroups"]}
    return {"groups": [by_name[name] for name in sorted(by_name)], "unreadable": []}


def activities(outputs):
    since = datetime.datetime(2026, 11, 26, 3, 30, 0, 500000, datetime.timezone.utc)
    return [{"id": one["ActivityId"], "description": one.get("Description", ""), "cause": one["Cause"],
             "started": time_text(one["StartTime"]), "ended": time_text(one.get("EndTime")),
             "status_code": one["StatusCode"], "status_message": one.get("StatusMessage", "")}
            for out in outputs for one in out["Activities"] if one["StartTime"] >= since]


def devices(value):
    return [{"device_name": one.get("DeviceName", ""), "size_gib": one["Ebs"].get("VolumeSize"),
             "volume_type": one["Ebs"].get("VolumeType", ""), "snapshot_id": one["Ebs"].get("SnapshotId", "")}
            for one in value or [] if "Ebs" in one]


def launch_configurations(outputs):
    return {one["LaunchConfigurationName"]:
            {"instance_type": one["InstanceType"], "image_id": one["ImageId"], "user_data": one.get("UserData", ""),
             "requirements": None, "block_devices": devices(one.get("BlockDeviceMappings")), "spot": "SpotPrice" in one,
             "spot_max_price": one.get("SpotPrice", ""), "efa_interfaces": 0, "instance_tags": {}, "version": ""}
            for out in outputs for one in out["LaunchConfigurations"]}


def launch_template(outputs):
    version = outputs[0]["LaunchTemplateVersions"][0]
    data, market = version["LaunchTemplateData"], version["LaunchTemplateData"].get("InstanceMarketOptions", {})
    image = outputs[-1]["LaunchTemplateVersions"][0]["LaunchTemplateData"]["ImageId"]
    tags = {}
    for specification in data.get("TagSpecifications", []):
        if specification["ResourceType"] == "instance":
            tags.update(tags_of(specification["Tags"]))
    return {"instance_type": data.get("InstanceType", ""), "image_id": image, "user_data": data.get("UserData", ""),
            "requirements": requirements(data.get("InstanceRequirements")),
            "block_devices": devices(data.get("BlockDeviceMappings")), "spot": market.get("MarketType") == "spot",
            "spot_max_price": market.get("SpotOptions", {}).get("MaxPrice", ""),
            "efa_interfaces": sum(one.get("InterfaceType") in ("efa", "efa-only")
                                  for one in data.get("NetworkInterfaces", [])),
            "instance_tags": tags, "version": str(version["VersionNumber"])}


def images(outputs):
    return [{"id": one["ImageId"], "name": one.get("Name", ""), "description": one.get("Description", ""),
             "architecture": one.get("Architecture", ""), "virtualization_type": one.get("VirtualizationType", ""),
             "platform": one.get("Platform", ""), "root_device_name": one.get("RootDeviceName", ""),
             "block_devices": devices(one.get("BlockDeviceMappings"))} for out in outputs for one in out["Images"]]


def accelerators(value, manufacturer=""):
    return [{"manufacturer": one.get("Manufacturer", manufacturer), "name": one.get("Name", ""), "count": one["Count"] or one.get("LogicalGpuCount", 0),
             "memory_mib": one.get("MemoryInfo", {}).get("SizeInMiB", 0)} for one in value]


def instance_type(value):
    network, neuron = value["NetworkInfo"], value.get("NeuronInfo", {}).get("NeuronDevices", [])
    inference = value.get("InferenceAcceleratorInfo", {}).get("Accelerators", [])
    cards = {one["NetworkCardIndex"]: one["MaximumNetworkInterfaces"] for one in network.get("NetworkCards", [])}
    is_metal = value.get("BareMetal", False)
    return {"name": value["InstanceType"], "vcpus": value["VCpuInfo"]["DefaultVCpus"],
            "memory_mib": value["MemoryInfo"]["SizeInMiB"],
            "architectures": value["ProcessorInfo"]["SupportedArchitectures"],
            "gpus": accelerators(value.get("GpuInfo", {}).get("Gpus", [])),
            "neuron_devices": accelerators(neuron, "AWS") or [one for one in accelerators(inference)
                                                              if one["manufacturer"] == "AWS"],
            "neuron_cores": sum(one["Count"] * one["CoreInfo"]["Count"] for one in neuron),
            "instance_storage_gib": value.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0) * 10**9 // 2**30,
            "efa_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
            "network_interfaces": cards.get(network.get("DefaultNetworkCardIndex", 0),
                                            network["MaximumNetworkInterfaces"]),
            "ipv4_per_interface": network["Ipv4AddressesPerInterface"],
            "has_prefix_delegation": is_metal or value.get("Hypervisor") == "nitro", "bare_metal": is_metal,
            "usage_classes": value.get("SupportedUsageClasses", [])}


def instance_types(outputs):
    return [instance_type(one) for out in outputs for one in out["InstanceTypes"]]


def subnets(outputs):
    return [{"id": one["SubnetId"], "zone": one["AvailabilityZone"], "zone_id": one["AvailabilityZoneId"],
             "tags": tags_of(one.get("Tags"))} for out in outputs for one in out["Subnets"]]


def addresses(outputs):
    members = ("PrivateIpAddress", "Ipv6Address", "PrivateDnsName")
    return [{"id": one["InstanceId"], "addresses": [one[member] for member in members if one.get(member)]}
            for out in outputs for reservation in out["Reservations"] for one in reservation["Instances"]]


def made_template(outputs):
    made = outputs[1]["LaunchTemplate"]
    return {"id": made["LaunchTemplateId"], "name": made["LaunchTemplateName"],
            "version": str(made["LatestVersionNumber"])}


def nodegroup(outputs):
    value = outputs[0]["nodegroup"]
    return {"name": value["nodegroupName"], "cluster": value["clusterName"], "ami_type": value["amiType"],
            "capacity_type": value["capacityType"], "version": value["version"], "disk_size_gib": value["diskSize"],
            "labels": value["labels"], "tags": value["tags"],
            "taints": [{"key": one["key"], "value": one.get("value", ""), "effect": one["effect"]}
                       for one in value["taints"]]}


def role_credentials(outputs):
    made = outputs[0]["Credentials"]
    return {"access_key_id": made["AccessKeyId"], "secret_access_key": made["SecretAccessKey"],
            "session_token": made["SessionToken"], "expires": time_text(made["Expiration"])}


def type_names(outputs):
    return [one["InstanceType"] for out in outputs for one in out["InstanceTypes"]]


READERS = {
    "find_groups": groups,
    "describe_groups": groups,
    "describe_activities": activities,
    "describe_launch_configurations": launch_configurations,
    "terminate_instance": lambda outputs: outputs[0]["Activity"]["Description"],
    "launch_template": launch_template,
    "launch_template_requirements": launch_template,
    "describe_images": images,
    "describe_instance_types": instance_types,
    "describe_instance_types_by_name": instance_types,
    "find_subnets": subnets,
    "describe_addresses": addresses,
    "describe_type_offerings": lambda outputs: [[one["InstanceType"], one["Location"]] for out in outputs
                                                for one in out["InstanceTypeOfferings"]],
    "find_types_1": type_names,
    "find_types_2": type_names,
    "create_from_launch_template": made_template,
    "create_from_launch_template_requirements": made_template,
    "describe_nodegroup": nodegroup,
    "get_caller_identity": lambda outputs: {"account": outputs[0]["Account"], "arn": outputs[0]["Arn"],
                                            "user_id": outputs[0]["UserId"]},
    "assume_role": role_credentials,
    "assume_role_by_token": role_credentials,
    "simulate_policy": lambda outputs: [
        {"action": one["EvalActionName"], "is_allowed": one["EvalDecision"] == "allowed", "word": one["EvalDecision"],
         "missing_context": one.get("MissingContextValues", [])}
        for out in outputs for one in out["EvaluationResults"]],
    "queue": lambda outputs: len(outputs[0]["Messages"]),
}
SERVICES = {}


def sorted_parameters(value):
    """Parameters of requirements are compared without their order."""
    if isinstance(value, dict):
        return {key: sorted(inner) if key == "parameters" else sorted_parameters(inner)
                for key, inner in value.items()}
    if isinstance(value, list):
        return [sorted_parameters(inner) for inner in value]
    return value


def check_case(case):
    demand(len(case["requests"]) == len(case["answers"]), "there are requests without an answer")
    outputs, operations = [], []
    for request, answer in zip(case["requests"], case["answers"]):
        name = urllib.parse.urlsplit(request["url"]).hostname.split(".")[0]
        demand(name in VERSIONS, "no service has the address", request["url"])
        service = SERVICES[name]
        operation, _ = service.request(request)
        outputs.append(service.answer(answer, operation))
        operations.append(f"{name}:{operation.name}")
    if case["case"] in READERS:
        expected = sorted_parameters(READERS[case["case"]](outputs))
        read = sorted_parameters(case["parsed"])
        demand(read == expected, "was read as\n", json.dumps(read, sort_keys=True), "\nand by botocore as\n",
               json.dumps(expected, sort_keys=True))
    else:
        demand(case["parsed"] is None, "nothing is known of what was read:", case["parsed"])
    return operations


def check_all(program):
    SERVICES.update({name: Service(name) for name in VERSIONS})
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    wrong, operations, seen = 0, set(), set()
    for line in lines:
        case = json.loads(line)
        seen.add(case["case"])
        try:
            operations.update(check_case(case))
        except Wrong as problem:
            wrong += 1
            print(f"{case['case']}: {problem}")
    for name in sorted(READERS.keys() - seen):
        wrong += 1
        print(f"{name}: the case is missing")
    print(f"{len(lines)} cases of {len(operations)} operations, {wrong} wrong")
    return 1 if wrong or not lines else 0


def main():
    python, program = sys.argv[1:]
    if os.environ.get("MODELS_OF_BOTOCORE"):
        return check_all(program)
    if not os.path.exists(python) or subprocess.run([python, "-c", "import botocore"], stderr=subprocess.DEVNULL).returncode:
        print(f"skipped: {python} has no botocore; ./dev packages test installs it")
        return 1 if os.environ.get("CI") == "true" else 77
    os.environ["MODELS_OF_BOTOCORE"] = "true"
    os.execv(python, [python, __file__, python, program])


if __name__ == "__main__":
    sys.exit(main())
