"""Resources and conditions of identity policies, which moto ignores.

RESOURCES has the kind of resource of each action that tests use, by AWS's service authorization
reference. An action that is not in it has no resource-level permissions, so that only `"Resource":
"*"` allows it, and no tags.
"""

import fnmatch
import json
import re

from moto.autoscaling.models import autoscaling_backends
from moto.core import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.eks.models import eks_backends


def of_group(call, region):
    backend = autoscaling_backends[ACCOUNT][region]
    name = call.get("AutoScalingGroupName")
    if name is None and "InstanceId" in call:
        for group in backend.autoscaling_groups.values():
            if any(state.instance.id == call["InstanceId"] for state in group.instance_states):
                name = group.name
    group = backend.autoscaling_groups.get(name)
    arn = group.arn if group else \
        f"arn:aws:autoscaling:{region}:{ACCOUNT}:autoScalingGroup:*:autoScalingGroupName/{name}"
    return arn, {tag["Key"]: tag.get("Value") or "" for tag in group.tags} if group else {}


def of_tagged_group(call, region):
    return of_group({"AutoScalingGroupName": call.get("Tags.member.1.ResourceId")}, region)


def of_nodegroup(call, region):
    cluster, name = call["cluster"], call["nodegroup"]
    found = eks_backends[ACCOUNT][region].clusters.get(cluster)
    nodegroup = found.nodegroups.get(name) if found else None
    arn = nodegroup.arn if nodegroup else f"arn:aws:eks:{region}:{ACCOUNT}:nodegroup/{cluster}/{name}/*"
    return arn, dict(nodegroup.tags or {}) if nodegroup else {}


def of_queue(call, region):
    return f"arn:aws:sqs:{region}:{ACCOUNT}:{call['QueueUrl'].rsplit('/', 1)[-1]}", {}


def of_launch_template(call, region):
    from moto.ec2.models import ec2_backends
    backend = ec2_backends[ACCOUNT][region]
    id_ = call.get("LaunchTemplateId") or backend.launch_template_name_to_ids.get(call.get("LaunchTemplateName"))
    template = backend.launch_templates.get(id_)
    tags = {tag["key"]: tag["value"] for tag in template.get_tags()} if template else {}
    return f"arn:aws:ec2:{region}:{ACCOUNT}:launch-template/{id_ or '*'}", tags


def of_principal(call, _region):
    return call.get("PolicySourceArn", "*"), {}


def of_role(call, _region):
    return call.get("RoleArn", "*"), {}


RESOURCES = {
    "autoscaling:SetDesiredCapacity": of_group,
    "autoscaling:TerminateInstanceInAutoScalingGroup": of_group,
    "autoscaling:SetInstanceProtection": of_group,
    "autoscaling:UpdateAutoScalingGroup": of_group,
    "autoscaling:CreateAutoScalingGroup": of_group,
    "autoscaling:DeleteAutoScalingGroup": of_group,
    "autoscaling:CreateOrUpdateTags": of_tagged_group,
    "ec2:CreateLaunchTemplate": of_launch_template,
    "ec2:DeleteLaunchTemplate": of_launch_template,
    "eks:DescribeNodegroup": of_nodegroup,
    "iam:SimulatePrincipalPolicy": of_principal,
    "sqs:ReceiveMessage": of_queue,
    "sqs:DeleteMessage": of_queue,
    "sqs:GetQueueAttributes": of_queue,
    "sts:AssumeRole": of_role,
}


# A batch action needs the permission of the single action.
RIGHTS = {"sqs:DeleteMessageBatch": "sqs:DeleteMessage", "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility"}


def right_for(action):
    return RIGHTS.get(action, action)


def tags_in(call):
    """The tags that the request sets, on a new group or launch template, or on an existing
    group."""
    out = {}
    for key, value in call.items():
        if key.endswith(".Key") and ("Tags.member." in key or key.startswith("TagSpecification.1.Tag.")):
            out[value] = call.get(key[:-4] + ".Value", "")
    return out


def resource_of(action, call, region):
    """ARN and tags of the resource of the call."""
    return RESOURCES[action](call, region) if action in RESOURCES else ("*", {})


def listed(value):
    return value if isinstance(value, list) else [value]


def holds(operator, wanted, actual):
    """Whether a condition holds. `actual`: None if the context lacks the key."""
    wanted = [str(each) for each in listed(wanted)]
    if operator == "Null":
        return (actual is None) == (wanted[0].lower() == "true")
    operator, is_optional = operator.removesuffix("IfExists"), operator.endswith("IfExists")
    quantifier, _, operator = operator.rpartition(":")
    values = [] if actual is None else [str(each) for each in listed(actual)]
    if not values:
        return is_optional or quantifier == "ForAllValues" or "Not" in operator

    def matches(value):
        if operator in ("StringEquals", "ArnEquals", "StringNotEquals"):
            return value in wanted
        if operator in ("StringLike", "ArnLike", "StringNotLike"):
            return any(fnmatch.fnmatchcase(value, glob) for glob in wanted)
        if operator == "StringEqualsIgnoreCase":
            return value.lower() in [each.lower() for each in wanted]
        if operator == "Bool":
            return value.lower() in [each.lower() for each in wanted]
        raise ValueError(f"the condition operator {operator} is not known here")

    found = [matches(value) != ("Not" in operator) for value in values]
    return all(found) if quantifier == "ForAllValues" or "Not" in operator else any(found)


def context_of(action, call, region, tags, more):
    service = action.split(":")[0]
    asked = tags_in(call)
    out = {"aws:RequestedRegion": region, "aws:TagKeys": list(asked) or None}
    for key, value in tags.items():
        out[f"aws:ResourceTag/{key}"] = out[f"{service}:ResourceTag/{key}"] = value
    for key, value in asked.items():
        out[f"aws:RequestTag/{key}"] = value
    if service == "autoscaling":
        versions = [value for key, value in call.items() if key.endswith("LaunchTemplate.Version")
                    or key.endswith("LaunchTemplateSpecification.Version")]
        out["autoscaling:LaunchTemplateVersionSpecified"] = \
            str(bool(versions) and all(value.isdigit() for value in versions)).lower()
        for name, key in (("MinSize", "autoscaling:MinSize"), ("MaxSize", "autoscaling:MaxSize"),
                          ("DesiredCapacity", "autoscaling:DesiredCapacity")):
            out[key] = call.get(name)
    out.update(more)
    lowered = {key.lower(): value for key, value in out.items()}
    return lowered


def concerns(statement, action, arn):
    if "NotAction" in statement:
        if any(fnmatch.fnmatchcase(action.lower(), glob.lower()) for glob in listed(statement["NotAction"])):
            return False
    elif not any(fnmatch.fnmatchcase(action.lower(), glob.lower()) for glob in listed(statement["Action"])):
        return False
    return any(glob == "*" or (arn != "*" and fnmatch.fnmatchcase(arn, glob))
               for glob in listed(statement.get("Resource", "*")))


def implied(action, call, region):
    """Further permissions that AWS demands for an action: (action, ARN, tags of that resource, more
    context)."""
    arn = f"arn:aws:ec2:{region}:{ACCOUNT}:"
    out = []
    if action == "ec2:CreateLaunchTemplate" and tags_in(call):
        out.append(("ec2:CreateTags", f"{arn}launch-template/*", {}, {"ec2:CreateAction": "CreateLaunchTemplate"}))
    if action == "autoscaling:CreateAutoScalingGroup":
        if tags_in(call):
            out.append(("autoscaling:CreateOrUpdateTags", of_group(call, region)[0], {}, {}))
        template = {key.rpartition(".")[2]: value for key, value in call.items()
                    if re.search(r"LaunchTemplate(Specification)?\.LaunchTemplate(Id|Name)$", key)}
        if template:
            used, tags = of_launch_template(template, region)
            out.append(("ec2:RunInstances", used, tags, {}))
            out += [("ec2:RunInstances", f"{arn}{kind}/*", {}, {"ec2:LaunchTemplate": used})
                    for kind in ("instance", "volume", "network-interface", "subnet", "security-group")]
    return out


def decide_all(documents, action, call, region):
    """(action, decision, ARN) of the first decision that is not "allowed"; if there is none, of the
    action itself."""
    own = decide(documents, action, call, region)
    if own[0] != "allowed":
        return (action, *own)
    for other, arn, tags, more in implied(action, call, region):
        decision, _ = decide(documents, other, call, region, arn, tags, more)
        if decision != "allowed":
            return other, decision, arn
    return (action, *own)


def decide(documents, action, call, region, resource=None, tags=None, more=None):
    """"allowed", "implicitDeny" or "explicitDeny", and the ARN of the resource."""
    arn, tags = resource_of(action, call, region) if resource is None else (resource, tags or {})
    return judge(documents, action, arn, context_of(action, call, region, tags, more or {}))[0], arn


def simulate(documents, action, arn, told):
    """The decision, and, unless it is "allowed", the condition keys that the context lacks."""
    context = {key.lower(): values for key, values in told.items()}
    decision, missing = judge(documents, action, arn, context)
    return decision, [] if decision == "allowed" else missing


def judge(documents, action, arn, context):
    decision, missing = "implicitDeny", []
    for document in documents:
        for statement in listed(json.loads(document)["Statement"]):
            if not concerns(statement, action, arn):
                continue
            wanted = [(operator, key, values) for operator, each in statement.get("Condition", {}).items()
                      for key, values in each.items()]
            missing += [key for _, key, _ in wanted if context.get(key.lower()) is None and key not in missing]
            if all(holds(operator, values, context.get(key.lower())) for operator, key, values in wanted):
                if statement["Effect"] == "Deny":
                    return "explicitDeny", []
                decision = "allowed"
    return decision, missing


def without_resources(document):
    """The document for moto, which decides by action alone: statements lose their resources and
    conditions, and denials that had some are left out."""
    policy = json.loads(document)
    kept = []
    for statement in listed(policy["Statement"]):
        if statement["Effect"] == "Deny" and ("Condition" in statement or statement.get("Resource", "*") != "*"):
            continue
        kept.append({**{key: value for key, value in statement.items() if key != "Condition"}, "Resource": "*"})
    return json.dumps({**policy, "Statement": kept})
