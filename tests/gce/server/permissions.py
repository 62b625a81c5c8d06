"""Which permissions a method needs, and on which resources, by Google's reference of compute's
methods."""

READ = {"get": "get", "list": "list", "aggregatedList": "list"}
GROUPS = {**READ, "listManagedInstances": "get", "listErrors": "get", "insert": "create", "delete": "delete",
          "patch": "update", "resize": "update", "createInstances": "update", "deleteInstances": "update",
          "abandonInstances": "update", "recreateInstances": "update", "suspendInstances": "update",
          "stopInstances": "update", "resumeInstances": "update", "startInstances": "update"}
TEMPLATES = {**READ, "insert": "create", "delete": "delete"}
LOOKUPS = {**READ, "getFromFamily": "getFromFamily"}
OPERATIONS = {"get": "get", "wait": "get", "list": "list"}
# By collection: its name in permissions, the verb by method, and the parameter that names one
# resource.
COLLECTIONS = {
    "instanceGroupManagers": ("instanceGroupManagers", GROUPS, "instanceGroupManager"),
    "regionInstanceGroupManagers": ("instanceGroupManagers", GROUPS, "instanceGroupManager"),
    "instanceTemplates": ("instanceTemplates", TEMPLATES, "instanceTemplate"),
    "regionInstanceTemplates": ("instanceTemplates", TEMPLATES, "instanceTemplate"),
    "instances": ("instances", {**READ, "delete": "delete", "stop": "stop"}, "instance"),
    "zones": ("zones", LOOKUPS, "zone"), "regions": ("regions", LOOKUPS, "region"),
    "machineTypes": ("machineTypes", LOOKUPS, "machineType"), "diskTypes": ("diskTypes", LOOKUPS, "diskType"),
    "acceleratorTypes": ("acceleratorTypes", LOOKUPS, "acceleratorType"), "images": ("images", LOOKUPS, "image"),
    "projects": ("projects", LOOKUPS, ""), "zoneOperations": ("zoneOperations", OPERATIONS, "operation"),
    "regionOperations": ("regionOperations", OPERATIONS, "operation"),
    "globalOperations": ("globalOperations", OPERATIONS, "operation"),
}


def needed(ask):
    """Pairs of permission and resource; empty for methods of other services than compute."""
    service, _, rest = ask.method.partition(".")
    if service != "compute":
        return []
    collection, _, verb = rest.partition(".")
    kind, verbs, parameter = COLLECTIONS[collection]
    name = ask.parameters.get(parameter)
    own = f"projects/{ask.project}"
    if name and parameter in ("zone", "region"):
        own += f"/{parameter}s/{name}"
    elif name:
        own += f"/{ask.scope}/{'operations' if kind.endswith('Operations') else kind}/{name}"
    elif verb == "insert" and ask.body.get("name"):
        own += f"/{ask.scope}/{kind}/{ask.body['name']}"
    return [(f"compute.{kind}.{verbs[verb]}", own), *more(ask, rest)]


def more(ask, method):
    """The permissions on resources to which a new resource refers."""
    if method in ("instanceGroupManagers.insert", "regionInstanceGroupManagers.insert"):
        return [("compute.instanceTemplates.useReadOnly", f"projects/{ask.project}/global/instanceTemplates/"
                 + str(ask.body.get("instanceTemplate", "")).rsplit("/", 1)[-1])]
    if method not in ("instanceTemplates.insert", "regionInstanceTemplates.insert"):
        return []
    properties = ask.body.get("properties") or {}
    out = []
    for interface in properties.get("networkInterfaces", []):
        if interface.get("subnetwork"):
            out.append(("compute.subnetworks.use", short(interface["subnetwork"])))
        elif interface.get("network"):
            out.append(("compute.networks.use", short(interface["network"])))
    for account in properties.get("serviceAccounts", []):
        out.append(("iam.serviceAccounts.actAs", account.get("email", "default")))
    return out


def short(link):
    return "projects/" + link.split("projects/", 1)[1] if "projects/" in link else link
