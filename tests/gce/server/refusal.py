"""Errors in the form of Google's replies."""


class Refusal(Exception):
    """`more`: further members of the error ("status", "details")."""

    def __init__(self, code, reason, message, domain="global", **more):
        super().__init__(message)
        self.code, self.reason, self.message, self.domain, self.more = code, reason, message, domain, more

    def body(self):
        entry = {"message": self.message, "domain": self.domain, "reason": self.reason}
        entry.update(self.more.get("entry", {}))
        more = {key: value for key, value in self.more.items() if key != "entry"}
        return {"error": {"code": self.code, "message": self.message, "errors": [entry], **more}}


class TokenRefusal(Exception):
    """An error of an endpoint that issues tokens, in the form of OAuth."""

    def __init__(self, code, error, description):
        super().__init__(description)
        self.code = code
        self.reason = error
        self.description = description

    def body(self):
        return {"error": self.reason, "error_description": self.description}


def not_found(path):
    return Refusal(404, "notFound", f"The resource '{path}' was not found")


def already_exists(path):
    return Refusal(409, "alreadyExists", f"The resource '{path}' already exists")


def in_use(path, by):
    return Refusal(400, "resourceInUseByAnotherResource",
                   f"The {collection_of(path)} resource '{path}' is already being used by '{by}'")


def invalid(field, value, why):
    return Refusal(400, "invalid", f"Invalid value for field '{field}': '{value}'. {why}")


def bad_request(message):
    return Refusal(400, "badRequest", message, status="INVALID_ARGUMENT")


def condition_not_met(message):
    return Refusal(412, "conditionNotMet", message)


def forbidden(permission, resource):
    return Refusal(403, "forbidden", f"Required '{permission}' permission for '{resource}'")


def info(reason, domain="googleapis.com", **metadata):
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain,
            "metadata": metadata}


def unauthenticated(has_token):
    if not has_token:
        return Refusal(401, "required", "Request is missing required authentication credential. Expected OAuth 2 "
                       "access token, login cookie or other valid authentication credential. See "
                       "https://developers.google.com/identity/sign-in/web/devconsole-project.",
                       entry={"message": "Login Required.", "location": "Authorization", "locationType": "header"},
                       status="UNAUTHENTICATED", details=[info("CREDENTIALS_MISSING")])
    return Refusal(401, "authError", "Request had invalid authentication credentials. Expected OAuth 2 access token, "
                   "login cookie or other valid authentication credential. See "
                   "https://developers.google.com/identity/sign-in/web/devconsole-project.",
                   entry={"message": "Invalid Credentials", "location": "Authorization", "locationType": "header"},
                   status="UNAUTHENTICATED", details=[info("ACCESS_TOKEN_EXPIRED")])


def scope_insufficient(service, method):
    return Refusal(403, "insufficientPermissions", "Request had insufficient authentication scopes.",
                   entry={"message": "Insufficient Permission"}, status="PERMISSION_DENIED",
                   details=[info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", service=service, method=method)])


def service_disabled(title, service, number):
    message = (f"{title} has not been used in project {number} before or it is disabled. Enable it by visiting "
               f"https://console.developers.google.com/apis/api/{service}/overview?project={number} then retry. If you "
               "enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.")
    return Refusal(403, "accessNotConfigured", message, domain="usageLimits", status="PERMISSION_DENIED",
                   details=[info("SERVICE_DISABLED", service=service, consumer=f"projects/{number}")])


def rate_limited(code, number):
    message = ("Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service "
               f"'compute.googleapis.com' for consumer 'project_number:{number}'.")
    return Refusal(code, "rateLimitExceeded", message, domain="usageLimits",
                   status="RESOURCE_EXHAUSTED" if code == 429 else "PERMISSION_DENIED",
                   details=[info("RATE_LIMIT_EXCEEDED", service="compute.googleapis.com",
                                 consumer=f"projects/{number}")])


def collection_of(path):
    """"instance_template" of ".../instanceTemplates/web", as in messages about resources in use."""
    name = path.split("/")[-2].removesuffix("s")
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)
