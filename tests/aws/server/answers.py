"""Actions of which moto implements less than AWS does: pages, filters, limits of a request, types
by requirements."""

import base64
import datetime

from moto.autoscaling.exceptions import AutoscalingClientError, ValidationError
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.exceptions import EC2ClientError, InvalidInstanceTypeError
from moto.ec2.responses import EC2Response
from moto.ec2.responses.instances import InstanceResponse
from moto.eks import models as eks
from moto.autoscaling.models import autoscaling_backends

from .groups import Backend
from .instance_types import OFFERED, find_types


def page(items, size, token, refuse):
    """The items of a page, and the token of the next page. `refuse` raises; it is called for an
    invalid token.

    The token "again", which the proxy adds to replies, means the first page.
    """
    start = 0
    if token and token != "again":
        try:
            start = int(base64.b64decode(token, validate=True))
        except ValueError:
            refuse()
        if not 0 < start < len(items):
            refuse()
    end = start + size
    return items[start:end], base64.b64encode(b"%d" % end).decode() if end < len(items) else None


def refuse_token():
    raise AutoscalingClientError("InvalidNextToken", "The NextToken value is not valid.")


def refuse_ec2_token():
    raise EC2ClientError("InvalidParameterValue", "The token is not valid.")


def max_records(self, usual):
    size = self._get_int_param("MaxRecords", usual)
    if not 1 <= size <= 100:
        raise ValidationError(f"1 validation error detected: Value '{size}' at 'maxRecords' failed to satisfy "
                              "constraint: Member must have value less than or equal to 100")
    return size


def describe_auto_scaling_groups(self):
    names, size = self._get_param("AutoScalingGroupNames", []), max_records(self, 50)
    if len(names) > size:
        raise ValidationError(f"The number of Auto Scaling group names that you specified ({len(names)}) is more "
                              f"than {size}, the value of MaxRecords")
    groups = self.autoscaling_backend.describe_auto_scaling_groups(names, self._get_param("Filters", []))
    seen = [view for view in (group.seen() for group in groups) if view is not None]
    shown, token = page(seen, size, self._get_param("NextToken"), refuse_token)
    return ActionResult({"AutoScalingGroups": shown, "NextToken": token})


def moment(text):
    out = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return out if out.tzinfo else out.replace(tzinfo=datetime.timezone.utc)


def is_in(activity, filters):
    for each in filters:
        name, values = each["Name"], each["Values"]
        if name == "StartTimeLowerBound" and activity["StartTime"] < moment(values[0]):
            return False
        if name == "StartTimeUpperBound" and activity["StartTime"] > moment(values[0]):
            return False
        if name == "Status" and activity["StatusCode"] not in values:
            return False
        if name not in ("StartTimeLowerBound", "StartTimeUpperBound", "Status"):
            raise ValidationError(f"Filter type {name} is not correct.")
    return True


def describe_scaling_activities(self):
    name, size = self._get_param("AutoScalingGroupName"), max_records(self, 100)
    groups = [Backend.group_of(self.autoscaling_backend, name)] if name else \
        list(self.autoscaling_backend.autoscaling_groups.values())
    found = [each for group in groups for each in group.activities if is_in(each, self._get_param("Filters", []))]
    found.sort(key=lambda each: each["StartTime"], reverse=True)
    shown, token = page(found, size, self._get_param("NextToken"), refuse_token)
    return ActionResult({"Activities": shown, "NextToken": token})


def set_desired_capacity(self):
    self.autoscaling_backend.set_desired_capacity(
        self._get_param("AutoScalingGroupName"), self._get_int_param("DesiredCapacity"))
    return EmptyResult()


def delete_auto_scaling_group(self):
    self.autoscaling_backend.delete_auto_scaling_group(
        self._get_param("AutoScalingGroupName"), force=bool(self._get_bool_param("ForceDelete", False)))
    return EmptyResult()


def describe_instance_types(self):
    names = self._get_param("InstanceTypes", [])
    unknown = [name for name in names if OFFERED.find(name) is None]
    if unknown:
        raise InvalidInstanceTypeError(unknown, error_type="InvalidInstanceType")
    if len(names) > 100:
        raise EC2ClientError("InvalidParameterValue", "You can specify at most 100 instance types.")
    if names and self._get_param("MaxResults"):
        raise EC2ClientError("InvalidParameterCombination",
                             "The parameters instanceTypes and maxResults cannot be used together.")
    wanted = [OFFERED.types[name] for name in names] or list(OFFERED.types.values())
    for name, values in self._filters_from_querystring().items():
        wanted = [of for of in wanted if any(value in texts(of.get_filter_value(name)) for value in values)]
    shown, token = page(wanted, self._get_int_param("MaxResults", 100), self._get_param("NextToken"), refuse_ec2_token)
    return ActionResult({"InstanceTypes": shown, "NextToken": token})


def texts(value):
    return value if isinstance(value, list) else [value]


_offerings = InstanceResponse.describe_instance_type_offerings


def describe_instance_type_offerings(self):
    offered = [each for each in _offerings(self)._result["InstanceTypeOfferings"]
               if OFFERED.find(each["InstanceType"]) is not None]
    shown, token = page(offered, self._get_int_param("MaxResults", 1000), self._get_param("NextToken"),
                        refuse_ec2_token)
    return ActionResult({"InstanceTypeOfferings": shown, "NextToken": token})


def get_instance_types_from_instance_requirements(self):
    names = find_types(self._get_param("InstanceRequirements", {}), self._get_param("ArchitectureTypes", []),
                       self._get_param("VirtualizationTypes", []))
    shown, token = page(names, self._get_int_param("MaxResults", 1000), self._get_param("NextToken"), refuse_ec2_token)
    return ActionResult({"InstanceTypes": [{"InstanceType": name} for name in shown], "NextToken": token})


def default_subnets(backend):
    return [each.id for each in backend.describe_subnets() if str(each.default_for_az).lower() == "true"]


_create_nodegroup = eks.EKSBackend.create_nodegroup


def create_nodegroup(self, cluster_name, nodegroup_name, **wanted):
    """A managed node group has an Auto Scaling group, with the tags by which EKS marks it."""
    nodegroup = _create_nodegroup(self, cluster_name=cluster_name, nodegroup_name=nodegroup_name, **wanted)
    name = f"eks-{nodegroup_name}-{nodegroup.uuid}"
    nodegroup.resources["autoScalingGroups"] = [{"name": name}]
    sizes = nodegroup.scaling_config
    scaling = autoscaling_backends[self.account_id][self.region_name]
    image = "ami-ekslinux"
    template = scaling.ec2_backend.create_launch_template(
        name, "", {"ImageId": image, **({} if len(nodegroup.instance_types) > 1 else
                                       {"InstanceType": nodegroup.instance_types[0]})}, {})
    tags = {
        "eks:cluster-name": cluster_name, "eks:nodegroup-name": nodegroup_name,
        f"k8s.io/cluster-autoscaler/{cluster_name}": "owned", "k8s.io/cluster-autoscaler/enabled": "true",
        f"kubernetes.io/cluster/{cluster_name}": "owned",
    }
    percentage = "0" if nodegroup.capacity_type == "SPOT" else "100"
    scaling.create_auto_scaling_group(
        name=name, availability_zones=[], desired_capacity=int(sizes["desiredSize"]), max_size=int(sizes["maxSize"]),
        min_size=int(sizes["minSize"]), launch_config_name="", launch_template={},
        vpc_zone_identifier=",".join(nodegroup.subnets or default_subnets(scaling.ec2_backend)), default_cooldown=None, health_check_period=None,
        health_check_type=None, load_balancers=[], target_group_arns=[], placement_group=None,
        termination_policies=[], tags=[{"Key": key, "Value": value, "PropagateAtLaunch": True}
                                       for key, value in tags.items()],
        mixed_instances_policy={
            "LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateId": template.id, "Version": "1"},
                               "Overrides": [{"InstanceType": each} for each in nodegroup.instance_types]},
            "InstancesDistribution": {"OnDemandBaseCapacity": 0, "OnDemandPercentageAboveBaseCapacity": percentage,
                                      "SpotAllocationStrategy": "price-capacity-optimized"}})
    return nodegroup


def install():
    for answer in (describe_auto_scaling_groups, describe_scaling_activities, set_desired_capacity,
                   delete_auto_scaling_group):
        setattr(AutoScalingResponse, answer.__name__, answer)
    for answer in (describe_instance_types, describe_instance_type_offerings,
                   get_instance_types_from_instance_requirements):
        setattr(EC2Response, answer.__name__, answer)
    eks.EKSBackend.create_nodegroup = create_nodegroup
