"""Which instance types the region offers, and which of them satisfy requirements.

The data of each type is moto's, which has it from DescribeInstanceTypes.
"""

import fnmatch

from moto.ec2.models.instance_types import INSTANCE_TYPES, InstanceType

GIB = 1024

# Enough for the tests; a world may offer others.
USUAL = [
    *("c4.large", "c4.xlarge", "r4.large", "t3.medium", "t3.large"),
    *(f"{family}.{size}" for family in ("m5", "c5", "r5", "m6i", "c6i") for size in ("large", "xlarge", "2xlarge")),
    *(f"{family}.{size}" for family in ("m6g", "c7g") for size in ("medium", "large", "xlarge")),
    *("m5.4xlarge", "c5.4xlarge", "m5d.large", "g4dn.xlarge", "g5.xlarge", "inf2.xlarge"),
]


class Offered:
    def __init__(self):
        self.offer(USUAL)

    def offer(self, names):
        """Offers these types; ["*"] offers all that moto knows."""
        wanted = sorted(INSTANCE_TYPES) if names == ["*"] else names
        self.types = {name: InstanceType(name) for name in wanted if name in INSTANCE_TYPES}

    def find(self, name):
        return self.types.get(name)


OFFERED = Offered()


def within(value, bounds):
    """`bounds`: {"Min": ..., "Max": ...}, as in AWS's requests; a missing bound does not limit."""
    low, high = bounds.get("Min"), bounds.get("Max")
    return (low is None or value >= float(low)) and (high is None or value <= float(high))


def is_allowed(value, wish):
    """`wish`: "included", "required" or "excluded"."""
    return {"included": True, "required": value, "excluded": not value}[wish]


def accelerators(of):
    """The accelerators of a type, each as (kind, manufacturer, name, count)."""
    out = [("gpu", gpu["Manufacturer"].lower(), gpu["Name"].lower(), gpu["Count"])
           for gpu in of.get("GpuInfo", {}).get("Gpus", [])]
    out += [("inference", each["Manufacturer"].lower(), each["Name"].lower(), each["Count"])
            for each in of.get("InferenceAcceleratorInfo", {}).get("Accelerators", [])]
    return out


def matches_accelerators(of, wanted):
    has = accelerators(of)
    count = sum(each[3] for each in has)
    if "AcceleratorCount" in wanted:
        if not within(count, wanted["AcceleratorCount"]):
            return False
    elif not any(key.startswith("Accelerator") for key in wanted):
        return True
    for key, part in (("AcceleratorTypes", 0), ("AcceleratorManufacturers", 1), ("AcceleratorNames", 2)):
        names = [name.lower() for name in wanted.get(key, [])]
        if names and not any(each[part] in names for each in has):
            return False
    return True


def matches(of, wanted):
    """Whether the type satisfies InstanceRequirements. Missing fields have AWS's defaults."""
    name, vcpus = of["InstanceType"], of["VCpuInfo"]["DefaultVCpus"]
    memory = of["MemoryInfo"]["SizeInMiB"]
    allowed, excluded = wanted.get("AllowedInstanceTypes", []), wanted.get("ExcludedInstanceTypes", [])
    if allowed and not any(fnmatch.fnmatchcase(name, glob) for glob in allowed):
        return False
    if any(fnmatch.fnmatchcase(name, glob) for glob in excluded):
        return False
    makers = wanted.get("CpuManufacturers", [])
    if makers and of["ProcessorInfo"].get("Manufacturer", "").lower().split(" ")[0] not in \
            [maker.split("-")[0] for maker in makers]:
        return False
    generations = wanted.get("InstanceGenerations", [])
    generation = "previous" if name.split(".")[0] in ("c4", "r4", "m4", "t2") else "current"
    if generations and generation not in generations:
        return False
    return (
        within(vcpus, wanted.get("VCpuCount", {}))
        and within(memory, wanted.get("MemoryMiB", {}))
        and within(memory / GIB / vcpus, wanted.get("MemoryGiBPerVCpu", {}))
        and is_allowed(of["BareMetal"], wanted.get("BareMetal", "excluded"))
        and is_allowed(of["BurstablePerformanceSupported"], wanted.get("BurstablePerformance", "excluded"))
        and is_allowed(of["InstanceStorageSupported"], wanted.get("LocalStorage", "included"))
        and matches_accelerators(of, wanted)
    )


def find_types(wanted, architectures=(), virtualizations=()):
    """The names of the types that match, in the order in which the groups of this server try them:
    the smallest first."""
    found = [
        of for of in OFFERED.types.values()
        if (not architectures or set(architectures) & set(of["ProcessorInfo"]["SupportedArchitectures"]))
        and (not virtualizations or set(virtualizations) & set(of["SupportedVirtualizationTypes"]))
        and matches(of, wanted)
    ]
    found.sort(key=lambda of: (of["VCpuInfo"]["DefaultVCpus"], of["MemoryInfo"]["SizeInMiB"], of["InstanceType"]))
    return [of["InstanceType"] for of in found]
