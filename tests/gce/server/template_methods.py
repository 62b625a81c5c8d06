"""Methods of instanceTemplates and regionInstanceTemplates."""

import copy

from . import operations
from .answers import method
from .cloud import CLOUD
from .clock import CLOCK
from .group_methods import repeatable
from .places import REGIONS, check_name, check_scope, link
from .refusal import Refusal, already_exists, in_use, not_found


def both(name):
    return f"compute.instanceTemplates.{name}", f"compute.regionInstanceTemplates.{name}"


def path_of_template(ask, name):
    return f"projects/{ask.project}/{ask.scope}/instanceTemplates/{name}"


def template_of(ask):
    path = path_of_template(ask, ask.parameters["instanceTemplate"])
    if path not in CLOUD.templates:
        raise not_found(path)
    return path, CLOUD.templates[path]


@method(*both("get"))
def get_template(ask):
    return template_of(ask)[1]


@method(*both("list"))
def list_templates(ask):
    check_scope(ask.project, ask.scope)
    begin = path_of_template(ask, "")
    return ask.page("compute#instanceTemplateList",
                    [row for path, row in CLOUD.templates.items() if path.startswith(begin)])


@method("compute.instanceTemplates.aggregatedList")
def aggregated_list(ask):
    begin = f"projects/{ask.project}/"
    rows = [(path.removeprefix(begin).split("/instanceTemplates/")[0], row)
            for path, row in CLOUD.templates.items() if path.startswith(begin)]
    return ask.aggregated("compute#instanceTemplateAggregatedList", "instanceTemplates", rows,
                          ["global", *(f"regions/{region}" for region in REGIONS)])


@method(*both("insert"))
@repeatable
def insert_template(ask):
    check_scope(ask.project, ask.scope)
    name = ask.body.get("name", "")
    check_name(name)
    path = path_of_template(ask, name)
    if path in CLOUD.templates:
        raise already_exists(path)
    properties = copy.deepcopy(ask.body.get("properties") or {})
    for field, is_there in (("machineType", "machineType" in properties), ("disks", "disks" in properties),
                            ("networkInterfaces", "networkInterfaces" in properties)):
        if not is_there:
            raise Refusal(400, "required", f"Required field 'resource.properties.{field}' not specified")
    row = {"kind": "compute#instanceTemplate", "id": CLOUD.number(), "creationTimestamp": CLOCK.moment(),
           "name": name, "description": ask.body.get("description", ""), "properties": properties,
           "selfLink": link(path)}
    if ask.scope != "global":
        row["region"] = link(f"projects/{ask.project}/{ask.scope}")

    def make():
        CLOUD.templates[path] = row
    return operations.start(ask, "insert", path, row["id"], make)


@method(*both("delete"))
@repeatable
def delete_template(ask):
    path, row = template_of(ask)
    for group in CLOUD.groups.values():
        if group.template_path == path:
            raise in_use(path, group.path)
    return operations.start(ask, "delete", path, row["id"], lambda: CLOUD.templates.pop(path, None))
