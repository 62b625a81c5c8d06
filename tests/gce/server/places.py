"""Regions, zones, and the links of resources.

A scope is "zones/us-central1-a", "regions/us-central1" or "global"; a path is "projects/p/SCOPE/COLLECTION/NAME".
"""

import re

from .refusal import invalid, not_found

ROOT = "https://www.googleapis.com/compute/v1/"
REGIONS = {
    "us-central1": ["us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f"],
    "us-east1": ["us-east1-b", "us-east1-c", "us-east1-d"],
    "europe-west1": ["europe-west1-b", "europe-west1-c", "europe-west1-d"],
}
ZONES = [zone for zones in REGIONS.values() for zone in zones]
NAME = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?")
LINK = re.compile(r"(?:https?://[^/]+/(?:compute/)?(?:v1|beta|alpha)/)?(projects/.+)")


def scope_of(parameters):
    for kind in ("zone", "region"):
        if parameters.get(kind):
            return f"{kind}s/{parameters[kind]}"
    return "global"


def check_scope(project, scope):
    """Raises Refusal if there is no such zone or region."""
    kind, _, name = scope.partition("/")
    if kind == "zones" and name not in ZONES or kind == "regions" and name not in REGIONS:
        raise not_found(f"projects/{project}/{scope}")


def region_of(scope):
    kind, _, name = scope.partition("/")
    return name.rpartition("-")[0] if kind == "zones" else name


def link(path):
    return ROOT + path


def path_of(text, project, scope="", field="resource"):
    """The path in a URL, or in a part of one: "projects/...", "zones/z/instances/i",
    "global/instanceTemplates/t"."""
    found = LINK.fullmatch(text)
    if found:
        return found.group(1)
    if text.startswith(("zones/", "regions/", "global/")):
        return f"projects/{project}/{text}"
    if scope and "/" in text:
        return f"projects/{project}/{scope}/{text}"
    raise invalid(field, text, "The URL is malformed.")


def last(path):
    return path.rsplit("/", 1)[-1]


def check_name(name, field="resource.name"):
    if not NAME.fullmatch(name):
        raise invalid(field, name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")
