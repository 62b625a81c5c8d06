"""What the proxy must know of Google's protocols; tests/clouds/proxy describes the functions.

A request's action is its method and path: "POST /compute/v1/projects/p/zones/z/instanceGroupManagers/web/createInstances".
"""

import json

# The service by a part of the path; the first part that is in the path counts.
SERVICES = (("/computeMetadata/", "metadata"), ("/compute/", "compute"), (":testIamPermissions", "cloudresourcemanager"),
            (":generateAccessToken", "iamcredentials"), ("/v1/token", "sts"), ("/token", "oauth2"))
STATUSES = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED", 412: "FAILED_PRECONDITION",
            429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}


def read_request(method, path, _, __):
    bare = path.partition("?")[0]
    return {"service": next((name for part, name in SERVICES if part in bare), ""), "action": f"{method} {bare}"}


def refusal(request, code, status, message):
    """Content type, headers and body."""
    if request["service"] == "metadata":
        return "text/html; charset=UTF-8", {}, f"<!DOCTYPE html>\n<title>Error {status}</title>\n<p>{message}\n"
    if request["service"] in ("oauth2", "sts"):
        return "application/json", {}, json.dumps({"error": code or "internal_failure", "error_description": message})
    reason = code or "rateLimitExceeded"
    return "application/json; charset=UTF-8", {}, json.dumps({"error": {
        "code": status, "message": message, "status": STATUSES.get(status, "INVALID_ARGUMENT"),
        "errors": [{"message": message, "domain": "usageLimits", "reason": reason}]}})


def once_more(body):
    return json.dumps({**json.loads(body), "nextPageToken": "again"}).encode()
