"""In which zone a regional group creates its next machine, by the shape of its distribution policy.

    EVEN             the zone with the fewest machines, even if it is out of stock
    BALANCED         the zone with the fewest machines among those that were not out of stock lately
    ANY              the first zone that was not out of stock lately
    ANY_SINGLE_ZONE  the zone that the group's machines are in, else as ANY
"""

MEMORY = 300.0  # for so many seconds a group avoids a zone that was out of stock


def choose_zone(shape, zones, counts, avoided):
    """`counts`: machines of the group by zone, including those that are being created."""
    free = [zone for zone in zones if zone not in avoided] or list(zones)
    if shape == "EVEN":
        return min(zones, key=lambda zone: (counts.get(zone, 0), zones.index(zone)))
    if shape == "BALANCED":
        return min(free, key=lambda zone: (counts.get(zone, 0), zones.index(zone)))
    if shape == "ANY_SINGLE_ZONE" and any(counts.values()):
        return max(zones, key=lambda zone: counts.get(zone, 0))
    return free[0]


def choose_leaving(members):
    """The member that a shrinking group deletes. First those with errors, then those without a
    machine, then those with a current action, then the newest in the zone with the most
    machines."""
    counts = {}
    for member in members:
        counts[member.zone] = counts.get(member.zone, 0) + 1
    return max(members, key=lambda member: (bool(member.errors), member.machine is None, member.action != "NONE",
                                            counts[member.zone], member.number))
