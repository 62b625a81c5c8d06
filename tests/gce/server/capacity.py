"""How many machines Google has, and with which messages it reports that it has none left.

Texts of stock-outs and of quotas are those that compute writes; the others are not public and made up.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Launch:
    """One machine that is to be created, or was."""

    project: str
    group: str  # PROJECT/LOCATION/NAME
    zone: str
    type: str
    spot: bool
    name: str = ""


@dataclasses.dataclass
class Pool:
    """At most `limit` machines that match; a field without a value matches all."""

    limit: int
    group: str = ""  # a whole id, or a name
    zone: str = ""
    type: str = ""
    spot: bool | None = None
    code: str = "ZONE_RESOURCE_POOL_EXHAUSTED"
    message: str = ""

    def matches(self, launch):
        return (self.group in ("", launch.group, launch.group.rsplit("/", 1)[-1]) and self.zone in ("", launch.zone)
                and self.type in ("", launch.type) and self.spot in (None, launch.spot))


MESSAGES = {
    "ZONE_RESOURCE_POOL_EXHAUSTED": (
        "The zone 'projects/{project}/zones/{zone}' does not have enough resources available to fulfill the request.  "
        "Try a different zone, or try again later."),
    "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS": (
        "The zone 'projects/{project}/zones/{zone}' does not have enough resources available to fulfill the request.  "
        "'(resource type:compute)'."),
    "QUOTA_EXCEEDED": "Quota 'CPUS' exceeded.  Limit: 24.0 in region {region}.",
    "IP_SPACE_EXHAUSTED": (
        "IP space of 'projects/{project}/regions/{region}/subnetworks/default' is exhausted."),
    "IP_SPACE_EXHAUSTED_WITH_DETAILS": (
        "IP space of 'projects/{project}/regions/{region}/subnetworks/default' is exhausted. Insufficient free IP "
        "addresses."),
    "PERMISSIONS_ERROR": "Required 'compute.instances.create' permission for 'projects/{project}/zones/{zone}/instances/{name}'",
    "VM_EXTERNAL_IP_ACCESS_POLICY_CONSTRAINT": (
        "Constraint constraints/compute.vmExternalIpAccess violated for project {project}. Add instance "
        "projects/{project}/zones/{zone}/instances/{name} to the constraint to use external IP with it."),
    "CONDITION_NOT_MET": (
        "Constraint constraints/compute.trustedImageProjects violated for project {project}. Use of images from "
        "project debian-cloud is prohibited."),
    "INVALID_RESERVATION": "Could not find the given reservation with the following name: spare.",
}
STOCK_OUT = "RESOURCE_POOL_EXHAUSTED"


def message_of(code, launch):
    return MESSAGES.get(code, code).format(project=launch.project, zone=launch.zone, name=launch.name,
                                           region=launch.zone.rpartition("-")[0], type=launch.type)


class Capacity:
    def __init__(self):
        self.pools = []

    def set(self, pools):
        self.pools = [Pool(**pool) for pool in pools]

    def refuses(self, launch, running):
        """Code and message with which compute refuses the launch; None if it does not. `running()`:
        all launches so far."""
        for pool in self.pools:
            if pool.matches(launch) and sum(pool.matches(other) for other in running()) >= pool.limit:
                return {"code": pool.code, "message": pool.message or message_of(pool.code, launch)}
        return None


CAPACITY = Capacity()
