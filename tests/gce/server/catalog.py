"""What Google offers to a project: machine types, accelerators, disk types and images, by Google's
documentation."""

import re

from .cloud import CLOUD
from .places import ZONES, link

# Name: cores, MiB of memory, accelerator, number of accelerators, number of local SSDs.
TYPES = {
    "f1-micro": (1, 614), "g1-small": (1, 1740), "n1-standard-1": (1, 3840), "n1-standard-2": (2, 7680),
    "n1-standard-4": (4, 15360), "n1-standard-8": (8, 30720), "n1-standard-16": (16, 61440),
    "n1-highmem-2": (2, 13312), "n1-highmem-4": (4, 26624), "n1-highcpu-4": (4, 3686),
    "n2-standard-2": (2, 8192), "n2-standard-4": (4, 16384), "n2-standard-8": (8, 32768),
    "n2-standard-16": (16, 65536), "n2-standard-32": (32, 131072), "n2-highmem-2": (2, 16384),
    "n2-highmem-4": (4, 32768), "n2-highcpu-2": (2, 2048), "n2-highcpu-4": (4, 4096), "n2d-standard-2": (2, 8192),
    "n2d-standard-4": (4, 16384), "n4-standard-2": (2, 8192), "n4-standard-4": (4, 16384),
    "e2-micro": (2, 1024), "e2-small": (2, 2048), "e2-medium": (2, 4096), "e2-standard-2": (2, 8192),
    "e2-standard-4": (4, 16384), "e2-standard-8": (8, 32768), "e2-highmem-2": (2, 16384), "e2-highcpu-2": (2, 2048),
    "c2-standard-4": (4, 16384), "c2-standard-8": (8, 32768), "c3-standard-4": (4, 16384),
    "c3-standard-8": (8, 32768), "c3-standard-4-lssd": (4, 16384, "", 0, 1),
    "c3-standard-8-lssd": (8, 32768, "", 0, 2), "t2d-standard-4": (4, 16384), "t2a-standard-1": (1, 4096),
    "t2a-standard-2": (2, 8192), "t2a-standard-4": (4, 16384), "c4a-standard-1": (1, 4096),
    "c4a-standard-2": (2, 8192), "c4a-standard-4": (4, 16384), "c4a-highcpu-4": (4, 8192),
    "c4a-standard-4-lssd": (4, 16384, "", 0, 1), "g2-standard-4": (4, 16384, "nvidia-l4", 1),
    "g2-standard-8": (8, 32768, "nvidia-l4", 1), "g2-standard-24": (24, 98304, "nvidia-l4", 2),
    "a2-highgpu-1g": (12, 87040, "nvidia-tesla-a100", 1), "a2-highgpu-2g": (24, 174080, "nvidia-tesla-a100", 2),
    "a2-ultragpu-1g": (12, 174080, "nvidia-a100-80gb", 1, 1), "a3-highgpu-8g": (208, 1916928, "nvidia-h100-80gb", 8, 16),
}
ARM = ("t2a-", "c4a-")
SHARED = ("f1-micro", "g1-small", "e2-micro", "e2-small", "e2-medium")
# Families that are not everywhere; the zones that have them.
ONLY_IN = {
    "t2a": {"us-central1-a", "us-central1-b", "us-central1-f"}, "c4a": {"us-central1-a", "us-central1-b", "us-central1-c"},
    "a2": {"us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f"}, "a3": {"us-central1-a"},
    "g2": {"us-central1-a", "us-central1-b", "us-central1-c", "us-east1-b", "us-east1-d", "europe-west1-b"},
}
# The maximum number on one machine.
ACCELERATORS = {"nvidia-tesla-t4": 4, "nvidia-tesla-v100": 8, "nvidia-tesla-p4": 4, "nvidia-l4": 8,
                "nvidia-tesla-a100": 16, "nvidia-a100-80gb": 8, "nvidia-h100-80gb": 8}
DISKS = {"pd-standard": ("500", "10GB-65536GB"), "pd-balanced": ("100", "10GB-65536GB"),
         "pd-ssd": ("100", "10GB-65536GB"), "pd-extreme": ("1000", "500GB-65536GB"),
         "hyperdisk-balanced": ("100", "4GB-65536GB"), "local-ssd": ("375", "375GB-375GB")}
# Project, name, family, architecture, gigabytes, features.
IMAGES = [
    ("cos-cloud", "cos-121-18867-90-4", "cos-stable", "X86_64", 10, ["GVNIC", "UEFI_COMPATIBLE"]),
    ("cos-cloud", "cos-arm64-121-18867-90-4", "cos-arm64-stable", "ARM64", 10, ["GVNIC", "UEFI_COMPATIBLE"]),
    ("gke-node-images", "gke-1340-gke1318000-cos-121-18867-90-4-c-pre", "", "X86_64", 10, ["GVNIC"]),
    ("gke-node-images", "gke-1340-gke1318000-cos-arm64-121-18867-90-4-c-pre", "", "ARM64", 10, ["GVNIC"]),
    ("ubuntu-os-cloud", "ubuntu-2404-noble-amd64-v20261101", "ubuntu-2404-lts-amd64", "X86_64", 10, ["GVNIC"]),
    ("ubuntu-os-cloud", "ubuntu-2404-noble-arm64-v20261101", "ubuntu-2404-lts-arm64", "ARM64", 10, ["GVNIC"]),
    ("debian-cloud", "debian-12-bookworm-v20261110", "debian-12", "X86_64", 10, ["GVNIC"]),
    ("debian-cloud", "debian-12-bookworm-arm64-v20261110", "debian-12-arm64", "ARM64", 10, ["GVNIC"]),
    ("windows-cloud", "windows-server-2022-dc-core-v20261111", "windows-2022-core", "X86_64", 32,
     ["WINDOWS", "MULTI_IP_SUBNET"]),
]
BEGINNING = "2026-01-01T00:00:00.000-08:00"
PUBLIC_PROJECTS = {project for project, *_ in IMAGES}
CUSTOM = re.compile(r"(?:(\w+)-)?custom-(\d+|micro|small|medium)-(\d+)(?:-ext)?")


def family_of(name):
    return "n1" if name.startswith(("custom-", "f1-", "g1-")) else name.split("-")[0]


class Offered:
    """The types of TYPES that are offered: all, unless a test restricts them."""

    def __init__(self):
        self.names = set(TYPES)

    def offer(self, names):
        """Offers only these types; ["*"] offers all."""
        unknown = [name for name in names if name not in TYPES and name != "*"]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: catalog.py has no such type")
        self.names = set(TYPES) if "*" in names else set(names)

    def is_in(self, name, zone):
        return name in self.names and zone in ONLY_IN.get(family_of(name), ZONES)

    def find(self, name):
        """Cores, MiB, accelerator, number of accelerators, local SSDs; None if there is no such
        type."""
        custom = CUSTOM.fullmatch(name)
        if custom:
            cores = custom.group(2)
            found = (int(cores) if cores.isdigit() else 2, int(custom.group(3)))
        else:
            found = TYPES.get(name)
        return None if found is None else (*found, *("", 0, 0)[len(found) - 2:])


OFFERED = Offered()


def architecture_of(name):
    return "ARM64" if name.startswith(ARM) else "X86_64"


def type_row(project, zone, name):
    """A type as compute describes it; None if the zone does not have it."""
    found = OFFERED.find(name)
    if found is None or not (CUSTOM.fullmatch(name) or OFFERED.is_in(name, zone)):
        return None
    cores, memory, accelerator, count, ssds = found
    out = {
        "kind": "compute#machineType", "id": str(801000 + sorted(TYPES).index(name) if name in TYPES else 0),
        "creationTimestamp": BEGINNING, "name": name, "description": f"{cores} vCPUs, {memory / 1024:g} GB RAM",
        "guestCpus": cores, "memoryMb": memory, "maximumPersistentDisks": 128,
        "maximumPersistentDisksSizeGb": "263168", "zone": zone, "isSharedCpu": name in SHARED,
        "architecture": architecture_of(name), "selfLink": link(f"projects/{project}/zones/{zone}/machineTypes/{name}"),
    }
    if count:
        out["accelerators"] = [{"guestAcceleratorType": accelerator, "guestAcceleratorCount": count}]
    if ssds:
        out["bundledLocalSsds"] = {"partitionCount": ssds, "defaultInterface": "NVME"}
    return out


def type_rows(project, zone):
    return [type_row(project, zone, name) for name in sorted(OFFERED.names) if OFFERED.is_in(name, zone)]


def accelerator_rows(project, zone):
    where = f"projects/{project}/zones/{zone}"
    return [{"kind": "compute#acceleratorType", "id": str(10000 + at), "creationTimestamp": BEGINNING, "name": name,
             "description": name.replace("-", " ").upper(), "maximumCardsPerInstance": most, "zone": link(where),
             "selfLink": link(f"{where}/acceleratorTypes/{name}")} for at, (name, most) in enumerate(ACCELERATORS.items())]


def disk_rows(project, zone):
    where = f"projects/{project}/zones/{zone}"
    return [{"kind": "compute#diskType", "id": str(30000 + at), "creationTimestamp": BEGINNING, "name": name,
             "description": name, "defaultDiskSizeGb": size, "validDiskSize": sizes, "zone": link(where),
             "selfLink": link(f"{where}/diskTypes/{name}")} for at, (name, (size, sizes)) in enumerate(DISKS.items())]


def image_row(project, name, family, architecture, size, features):
    out = {"kind": "compute#image", "id": "4000000000000000001", "creationTimestamp": BEGINNING, "name": name,
           "sourceType": "RAW", "status": "READY", "diskSizeGb": str(size), "architecture": architecture,
           "guestOsFeatures": [{"type": feature} for feature in features],
           "selfLink": link(f"projects/{project}/global/images/{name}")}
    if family:
        out["family"] = family
    if not architecture:
        del out["architecture"]
    return out


def images_of(project):
    own = [each for each in IMAGES if each[0] == project]
    return [image_row(*each) for each in own] + [
        image_row(project, each["name"], each.get("family", ""), each.get("architecture", ""), each.get("size_gb", 10),
                  each.get("features", [])) for each in CLOUD.images.get(project, [])]
