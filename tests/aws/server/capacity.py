"""How many machines the cloud has, and with which messages AWS reports that it has none left.

The texts of `status_message` are those that AWS writes into failed scaling activities.
"""

import dataclasses


@dataclasses.dataclass
class Pool:
    """At most `limit` machines that match; an empty field matches all. `code` is EC2's."""

    limit: int
    group: str = ""
    zone: str = ""
    type: str = ""
    market: str = ""  # "spot" or "on-demand"
    code: str = "InsufficientInstanceCapacity"

    def matches(self, launch):
        wanted = (self.group, self.zone, self.type, self.market)
        return all(not own or own == of for own, of in zip(wanted, launch.key()))


@dataclasses.dataclass(frozen=True)
class Launch:
    """One machine that is to be launched, or was."""

    group: str
    zone: str
    type: str
    market: str

    def key(self):
        return (self.group, self.zone, self.type, self.market)


MARKETS = {"spot": "Could not launch Spot Instances. ", "on-demand": "Could not launch On-Demand Instances. "}

MESSAGES = {
    "InsufficientInstanceCapacity": (
        "We currently do not have sufficient {type} capacity in the Availability Zone you requested ({zone}). "
        "Our system will be working on provisioning additional capacity."
    ),
    "UnfulfillableCapacity": (
        "Unable to fulfill capacity due to your request configuration. Please adjust your request and try again."
    ),
    "MaxSpotInstanceCountExceeded": "Max spot instance count exceeded",
    "VcpuLimitExceeded": (
        "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket "
        "that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to "
        "request an adjustment to this limit."
    ),
    "InstanceLimitExceeded": (
        "You have requested more instances (1) than your current instance limit of 0 allows for the specified "
        "instance type. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this "
        "limit."
    ),
    "Unsupported": (
        "Your requested instance type ({type}) is not supported in your requested Availability Zone ({zone})."
    ),
    "InvalidLaunchTemplate": "The launch template's image is not valid.",
}


def status_message(code, launch, is_mixed):
    """With a mixed instances policy the message has the market and the code. Without one it has no
    market, and for InsufficientInstanceCapacity (on demand) and Unsupported no code."""
    if code == "InsufficientInstanceCapacity" and launch.market == "spot":
        text = "There is no Spot capacity available that matches your request."
    else:
        text = MESSAGES.get(code, code).format(type=launch.type, zone=launch.zone)
    if is_mixed:
        text = f"{MARKETS[launch.market]}{code} - {text}"
    elif launch.market == "spot" or code not in ("InsufficientInstanceCapacity", "Unsupported"):
        text = f"{code} - {text}"
    return f"{text} Launching EC2 instance failed."


class Capacity:
    def __init__(self):
        self.pools = []

    def set(self, pools):
        self.pools = [Pool(**pool) for pool in pools]

    def refuses(self, launch, running):
        """The code with which EC2 refuses the launch; None if it does not. `running`: the earlier
        launches."""
        for pool in self.pools:
            if pool.matches(launch) and sum(pool.matches(other) for other in running) >= pool.limit:
                return pool.code
        return None


CAPACITY = Capacity()
