"""Methods that list what Google offers: zones, regions, machine types, accelerators, disk types,
images."""

from . import catalog
from .answers import method
from .cloud import CLOUD
from .places import REGIONS, ZONES, check_scope, last, link
from .refusal import not_found


def place_row(project, kind, name):
    path = f"projects/{project}/{kind}s/{name}"
    number = 1000 + (ZONES.index(name) if kind == "zone" else 500 + list(REGIONS).index(name))
    out = {"kind": f"compute#{kind}", "id": str(number), "creationTimestamp": catalog.BEGINNING, "name": name,
           "description": name, "status": "DOWN" if name in CLOUD.down else "UP", "selfLink": link(path)}
    if kind == "zone":
        out["region"] = link(f"projects/{project}/regions/{name.rpartition('-')[0]}")
    else:
        out["zones"] = [link(f"projects/{project}/zones/{zone}") for zone in REGIONS[name]]
    return out


@method("compute.zones.list")
def list_zones(ask):
    return ask.page("compute#zoneList", [place_row(ask.project, "zone", zone) for zone in ZONES])


@method("compute.zones.get")
def get_zone(ask):
    check_scope(ask.project, ask.scope)
    return place_row(ask.project, "zone", ask.parameters["zone"])


@method("compute.regions.list")
def list_regions(ask):
    return ask.page("compute#regionList", [place_row(ask.project, "region", region) for region in REGIONS])


@method("compute.regions.get")
def get_region(ask):
    check_scope(ask.project, ask.scope)
    return place_row(ask.project, "region", ask.parameters["region"])


@method("compute.machineTypes.list")
def list_types(ask):
    check_scope(ask.project, ask.scope)
    return ask.page("compute#machineTypeList", catalog.type_rows(ask.project, last(ask.scope)))


@method("compute.machineTypes.aggregatedList")
def aggregated_types(ask):
    rows = [(f"zones/{zone}", row) for zone in ZONES for row in catalog.type_rows(ask.project, zone)]
    return ask.aggregated("compute#machineTypeAggregatedList", "machineTypes", rows, [f"zones/{zone}" for zone in ZONES])


@method("compute.machineTypes.get")
def get_type(ask):
    check_scope(ask.project, ask.scope)
    name = ask.parameters["machineType"]
    row = catalog.type_row(ask.project, last(ask.scope), name)
    if row is None:
        raise not_found(f"projects/{ask.project}/{ask.scope}/machineTypes/{name}")
    return row


@method("compute.acceleratorTypes.list")
def list_accelerators(ask):
    check_scope(ask.project, ask.scope)
    return ask.page("compute#acceleratorTypeList", catalog.accelerator_rows(ask.project, last(ask.scope)))


@method("compute.diskTypes.list")
def list_disk_types(ask):
    check_scope(ask.project, ask.scope)
    return ask.page("compute#diskTypeList", catalog.disk_rows(ask.project, last(ask.scope)))


@method("compute.images.get")
def get_image(ask):
    return image_of(ask, "name", ask.parameters["image"], f"images/{ask.parameters['image']}")


@method("compute.images.getFromFamily")
def get_from_family(ask):
    """The newest image of the family."""
    family = ask.parameters["family"]
    return image_of(ask, "family", family, f"images/family/{family}")


def image_of(ask, key, value, path):
    found = [row for row in catalog.images_of(ask.project) if row.get(key) == value]
    if not found:
        raise not_found(f"projects/{ask.project}/global/{path}")
    return max(found, key=lambda row: row["name"])


@method("compute.images.list")
def list_images(ask):
    return ask.page("compute#imageList", catalog.images_of(ask.project))


@method("compute.projects.get")
def get_project(ask):
    return {"kind": "compute#project", "id": CLOUD.projects[ask.project], "name": ask.project,
            "creationTimestamp": catalog.BEGINNING, "selfLink": link(f"projects/{ask.project}")}
