"""cloudresourcemanager v3: tests which permissions the caller has."""

from .answers import method
from .cloud import CLOUD
from .refusal import Refusal, bad_request

MOST = 100


@method("cloudresourcemanager.projects.testIamPermissions")
def test_permissions(ask):
    project = ask.parameters["resource"].removeprefix("projects/")
    wanted = ask.body.get("permissions") or []
    if not wanted or len(wanted) > MOST:
        raise bad_request(f"Between 1 and {MOST} permissions can be tested in one request.")
    for permission in wanted:
        if "*" in permission or permission.count(".") < 2:
            raise bad_request(f"Permission {permission} is not valid for this resource.")
    if project not in CLOUD.projects:
        raise Refusal(403, "forbidden", "The caller does not have permission", status="PERMISSION_DENIED")
    granted = [permission for permission in wanted if ask.allows(permission)]
    return {"permissions": granted} if granted else {}
