"""Methods of instanceGroupManagers and regionInstanceGroupManagers."""

import collections

from . import operations
from .answers import method
from .cloud import CLOUD
from .group import Group, listed_groups
from .places import REGIONS, ZONES, check_name, check_scope, last, path_of
from .refusal import Refusal, already_exists, bad_request, condition_not_met, invalid, not_found

MOST_PER_CALL = 1000
MOST_OF_ZONAL, MOST_OF_REGIONAL = 1000, 2000


def both(name):
    return f"compute.instanceGroupManagers.{name}", f"compute.regionInstanceGroupManagers.{name}"


def group_of(ask):
    check_scope(ask.project, ask.scope)
    path = f"projects/{ask.project}/{ask.scope}/instanceGroupManagers/{ask.parameters['instanceGroupManager']}"
    group = CLOUD.groups.get(path)
    if group is None:
        raise not_found(path)
    return group


def rows_of(project, what="groups"):
    """Pairs of scope and row, as late as lists are."""
    seen = ((group.scope, group.seen(what)) for group in listed_groups() if group.project == project)
    return [(scope, view[0]) for scope, view in seen if view is not None]


# Methods that read.

@method("compute.instanceGroupManagers.aggregatedList")
def aggregated_list(ask):
    scopes = [f"zones/{zone}" for zone in ZONES] + [f"regions/{region}" for region in REGIONS]
    return ask.aggregated("compute#instanceGroupManagerAggregatedList", "instanceGroupManagers",
                          rows_of(ask.project), scopes)


@method(*both("list"))
def list_groups(ask):
    check_scope(ask.project, ask.scope)
    check_reachable(ask.scope)
    kind = "compute#instanceGroupManagerList" if ask.scope.startswith("zones/") else \
        "compute#regionInstanceGroupManagerList"
    return ask.page(kind, [row for scope, row in rows_of(ask.project) if scope == ask.scope])


def check_reachable(scope):
    if scope in CLOUD.unreachable:
        raise Refusal(503, "backendError", "Backend Error. Please try again.", status="UNAVAILABLE")


@method(*both("get"))
def get_group(ask):
    return group_of(ask).row()


@method(*both("listManagedInstances"))
def list_managed_instances(ask):
    """A PAGELESS group returns all instances at once, whatever page the request asks for."""
    group = group_of(ask)
    check_reachable(ask.scope)
    view = group.seen("managed")
    rows = view[1] if view else []
    token = None
    if group.wanted.get("listManagedInstancesResults") == "PAGINATED":
        rows, token = ask.cut(rows)
    out = {"managedInstances": rows} if rows else {}
    if token:
        out["nextPageToken"] = token
    return out


@method(*both("listErrors"))
def list_errors(ask):
    group = group_of(ask)
    entries = [{"error": {"code": error["code"], "message": error["message"]}, "timestamp": group.created,
                "instanceActionDetails": {"instance": member.row()["instance"], "action": member.action,
                                          "version": {"instanceTemplate": member.row()["version"]["instanceTemplate"]}}}
               for member in group.members.values() for error in member.errors]
    shown, token = ask.cut(entries)
    return {**({"items": shown} if shown else {}), **({"nextPageToken": token} if token else {})}


# Methods that change. The change is made when the operation ends; an invalid request is refused at
# once.

def change(ask, group, kind, effect):
    def carry_out():
        if CLOUD.groups.get(group.path) is not group:
            raise not_found(group.path)
        effect()
        group.reconcile()
    return operations.start(ask, kind, group.path, group.id, carry_out)


def repeatable(function):
    """A request with a known requestId is answered with the operation of the first request."""
    def answer(ask):
        before = operations.repeated(ask)
        return before.row() if before is not None else function(ask)
    return answer


def check_size(group, size):
    most = MOST_OF_REGIONAL if group.is_regional else MOST_OF_ZONAL
    if size < 0 or size > most:
        raise invalid("size", size, f"Must be between 0 and {most}, inclusive.")


@method(*both("insert"))
@repeatable
def insert_group(ask):
    check_scope(ask.project, ask.scope)
    body = ask.body
    check_name(body.get("name", ""))
    path = f"projects/{ask.project}/{ask.scope}/instanceGroupManagers/{body['name']}"
    if path in CLOUD.groups:
        raise already_exists(path)
    if "targetSize" not in body:
        raise Refusal(400, "required", "Required field 'resource.targetSize' not specified")
    versions = body.get("versions") or []
    template = body.get("instanceTemplate") or (versions[0].get("instanceTemplate") if versions else None)
    if not template:
        raise Refusal(400, "required", "Required field 'resource.instanceTemplate' not specified")
    template_path = path_of(template, ask.project, field="resource.instanceTemplate")
    if template_path not in CLOUD.templates:
        raise not_found(template_path)
    if len(body.get("baseInstanceName", "")) > 58:
        raise invalid("resource.baseInstanceName", body["baseInstanceName"], "Must be at most 58 characters long.")
    for each in body.get("distributionPolicy", {}).get("zones", []):
        check_scope(ask.project, "zones/" + last(each["zone"]))
    group = Group(ask.project, ask.scope, body)
    check_size(group, body["targetSize"])

    def make():
        CLOUD.groups[group.path] = group
        group.resize(body["targetSize"])
        group.reconcile()
    return operations.start(ask, "insert", group.path, group.id, make)


@method(*both("delete"))
@repeatable
def delete_group(ask):
    group = group_of(ask)
    return change(ask, group, "delete", group.remove)


@method(*both("patch"))
@repeatable
def patch_group(ask):
    """Changes the target size, the template, and the fields in KEPT."""
    group = group_of(ask)
    if ask.body.get("instanceTemplate"):
        path = path_of(ask.body["instanceTemplate"], ask.project, field="resource.instanceTemplate")
        if path not in CLOUD.templates:
            raise not_found(path)

    def make():
        group.merge(ask.body)
        if "targetSize" in ask.body:
            group.resize(ask.body["targetSize"])
    return change(ask, group, "patch", make)


@method(*both("resize"))
@repeatable
def resize_group(ask):
    group, size = group_of(ask), ask.number("size")
    check_size(group, size)
    return change(ask, group, "compute.instanceGroupManagers.resize", lambda: group.resize(size))


@method(*both("createInstances"))
@repeatable
def create_instances(ask):
    group = group_of(ask)
    wanted = ask.body.get("instances") or []
    if not wanted:
        raise Refusal(400, "required", "Required field 'instances' not specified")
    if len(wanted) > MOST_PER_CALL:
        raise invalid("instances", f"{len(wanted)} instances", f"Must be at most {MOST_PER_CALL} per request.")
    policy = group.row()["updatePolicy"]
    if policy["type"] == "PROACTIVE" and policy["replacementMethod"] == "SUBSTITUTE":
        raise condition_not_met("Instances cannot be created by name while the update policy of the group is PROACTIVE "
                                "with the replacement method SUBSTITUTE.")
    names = [each.get("name", "") for each in wanted]
    check_new_names(group, names)
    check_size(group, group.target_size + len(names))
    return change(ask, group, "compute.instanceGroupManagers.createInstances", lambda: group.create(names))


def check_new_names(group, names):
    for name in names:
        check_name(name, "instances[].name")
    taken = {member.name for member in group.members.values()} | {
        machine.name for machine in CLOUD.machines.values() if machine.zone in group.zones
        and machine.path.startswith(f"projects/{group.project}/")}
    for name, times in collections.Counter(names).items():
        if times > 1:
            raise invalid("instances", name, "Names of instances must be unique.")
        if name in taken:
            raise already_exists(f"projects/{group.project}/zones/{group.zones[0]}/instances/{name}")


def members_of(ask, group):
    """The members that the request names. A name that is no member is refused, unless the request
    says to skip it."""
    named = ask.body.get("instances") or []
    if not named:
        raise Refusal(400, "required", "Required field 'instances' not specified")
    if len(named) > MOST_PER_CALL:
        raise invalid("instances", f"{len(named)} instances", f"Must be at most {MOST_PER_CALL} per request.")
    are_names = ["/" not in each for each in named]
    if any(are_names) and not all(are_names):
        raise bad_request("Instances are either named by URL or by name, not both in one request.")
    by_name = {member.name: member for member in group.members.values()}
    found = []
    for each in named:
        path = each if "/" not in each else path_of(each, group.project, group.scope, "instances")
        zone = path.split("/")[3] if "/" in path else ""
        if zone and (not path.startswith(f"projects/{group.project}/zones/") or not is_near(group, zone)):
            raise invalid("instances", each, "The instance is in another zone or region than the group.")
        member = group.members.get(path) if "/" in path else by_name.get(path)
        if member is not None and not member.is_leaving:
            found.append(member)
        elif not ask.body.get("skipInstancesOnValidationError"):
            raise invalid("instances", each, "The instance is not a member of the group, or is leaving it.")
    return list(dict.fromkeys(found))


def is_near(group, zone):
    return zone.rpartition("-")[0] == last(group.scope) if group.is_regional else zone == last(group.scope)


@method(*both("deleteInstances"))
@repeatable
def delete_instances(ask):
    group = group_of(ask)
    members = members_of(ask, group)
    return change(ask, group, "compute.instanceGroupManagers.deleteInstances",
                  lambda: group.take_out([each for each in members if not each.is_leaving]))


@method(*both("abandonInstances"))
@repeatable
def abandon_instances(ask):
    group = group_of(ask)
    members = members_of(ask, group)
    return change(ask, group, "compute.instanceGroupManagers.abandonInstances",
                  lambda: group.take_out(members, abandon=True))


@method(*both("recreateInstances"))
@repeatable
def recreate_instances(ask):
    group = group_of(ask)
    members = members_of(ask, group)
    return change(ask, group, "compute.instanceGroupManagers.recreateInstances", lambda: group.recreate(members))


def to_standby(name, action):
    @method(*both(name))
    @repeatable
    def answer(ask):
        group = group_of(ask)
        members = members_of(ask, group)
        return change(ask, group, f"compute.instanceGroupManagers.{name}", lambda: group.change(members, action))
    return answer


for _name, _action in (("suspendInstances", "SUSPENDING"), ("stopInstances", "STOPPING"),
                       ("resumeInstances", "RESUMING"), ("startInstances", "STARTING")):
    to_standby(_name, _action)
