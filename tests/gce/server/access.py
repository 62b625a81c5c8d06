"""What is common to all methods: the route, the token, services, scopes and permissions, the check
of request and answer, and the record of all calls.
"""

import json
import re
import urllib.parse

from . import contract, permissions
from .answers import METHODS, Ask, Mask
from .catalog import PUBLIC_PROJECTS
from .clock import CLOCK
from .cloud import CLOUD, LOCK
from .group import reconcile_all
from .identity import IDENTITIES
from .operations import step_all
from .refusal import (Refusal, TokenRefusal, forbidden, info, rate_limited, scope_insufficient, service_disabled,
                      unauthenticated)
from .tokens import oauth_token

TITLES = {"compute": ("Compute Engine API", "compute.googleapis.com"),
          "cloudresourcemanager": ("Cloud Resource Manager API", "cloudresourcemanager.googleapis.com"),
          "iamcredentials": ("IAM Service Account Credentials API", "iamcredentials.googleapis.com")}
# Scopes that the documents do not name, but that Google's own client uses.
MORE_SCOPES = {"iamcredentials": ("https://www.googleapis.com/auth/iam",)}
# Methods that are called without a token.
OPEN = ("sts.token", "oauth2.token")


def settle():
    """Carries out what is due by now."""
    step_all()
    reconcile_all()


class AllowedAsk(Ask):
    def allows(self, permission):
        return self.token is None or self.token.principal.may(permission)


class Access:
    def __init__(self):
        self.reset()

    def reset(self):
        self.calls = []
        self.violations = []
        self.is_enforcing = True
        self.disabled = []  # names of services whose API is disabled
        self.refusals = []  # [{"method", "count", "status"}]: rateLimitExceeded

    def answer(self, http_method, path, query, headers, body):
        """Status and JSON; None if there is no such route."""
        found = ("oauth2.token", {}) if (http_method, path) == ("POST", "/token") else contract.find(http_method, path)
        if found is None:
            return None
        method, in_path = found
        parameters = {**query, **in_path}
        call = {"method": method, "http_method": http_method, "path": path, "parameters": parameters,
                "principal": "", "at": CLOCK.now(), "quota_project": headers.get("x-goog-user-project", "")}
        with LOCK:
            settle()
            self.calls.append(call)
            call["number"] = len(self.calls)
        try:
            status, out = 200, self.carry_out(call, in_path, query, headers, body)
        except (Refusal, TokenRefusal) as refusal:
            status, out = refusal.code, refusal.body()
            call["reason"], call["answer"] = refusal.reason, out
        call["status"] = status
        return status, out

    def carry_out(self, call, in_path, query, headers, body):
        content = read_body(call, headers, body)
        if "oauth2.token" == call["method"]:
            with LOCK:
                return oauth_token(content)
        ask = AllowedAsk(call["method"], call["parameters"], content, "", None)
        with LOCK:
            if call["method"] not in OPEN:
                self.authenticate(call, ask, headers)
            if "form" not in call:
                self.check_request(call, in_path, query, content if body else None)
            self.authorize(ask, call["quota_project"])
            self.slow_down(ask)
        return self.invoke(ask, query)

    def trusted(self, method, parameters, body):
        """A call of the test itself: allowed, not recorded, and checked like any other. Returns the
        answer, or raises Refusal."""
        call = {"method": method, "number": 0}
        in_path, query = contract.split(method, parameters)
        self.check_request(call, in_path, query, body)
        with LOCK:
            settle()
            return self.invoke(AllowedAsk(method, parameters, body, "test@example.com"), query)

    def invoke(self, ask, query):
        mask = Mask(query["fields"]) if query.get("fields") and query["fields"] != "*" else None
        if ask.method not in METHODS:
            raise Refusal(501, "notImplemented", f"{ask.method} is not played here.", status="UNIMPLEMENTED")
        function, waits = METHODS[ask.method]
        if waits:
            out = function(ask)
        else:
            with LOCK:
                out = function(ask)
                settle()
        found = contract.check_answer(ask.method, out)
        if found:
            self.note(f"answer of {ask.method}", found)
            raise Refusal(500, "backendError", "; ".join(found)[:2000])
        return out if mask is None else mask.apply(out)

    def note(self, what, found):
        self.violations += [f"{what}: {text}" for text in found]

    def check_request(self, call, in_path, query, body):
        found = contract.check_request(call["method"], in_path, query, body)
        if found:
            self.note(f"call {call['number']}, {call['method']}", found)
            call["violations"] = found
            raise Refusal(400, "badRequest", "Invalid request: " + "; ".join(found)[:2000], status="INVALID_ARGUMENT")

    # Authentication and authorization.

    def authenticate(self, call, ask, headers):
        if not self.is_enforcing:
            return
        kind, _, text = headers.get("authorization", "").partition(" ")
        token = IDENTITIES.find(text.strip()) if kind.lower() == "bearer" else None
        if token is None:
            raise unauthenticated(bool(text))
        ask.token = token
        call["principal"] = ask.principal = token.principal.name

    def authorize(self, ask, quota_project):
        service = ask.method.partition(".")[0]
        project = self.project_of(ask)
        if service in TITLES and TITLES[service][1] in self.disabled:
            raise service_disabled(*TITLES[service], CLOUD.projects.get(project, next(iter(CLOUD.projects.values()))))
        if ask.token is not None:
            if not set(ask.token.scopes) & {*contract.scopes(ask.method), *MORE_SCOPES.get(service, ())}:
                raise scope_insufficient(TITLES[service][1], contract.dotted(ask.method))
            self.check_quota_project(ask, quota_project)
        if service != "compute" or project in PUBLIC_PROJECTS and ask.method.startswith("compute.images."):
            return
        if project not in CLOUD.projects:
            raise Refusal(404, "notFound", f"The resource 'projects/{project}' was not found")
        for permission, resource in permissions.needed(ask):
            if not ask.allows(permission):
                raise forbidden(permission, resource)

    def project_of(self, ask):
        return ask.parameters.get("project") or ask.parameters.get("resource", "").partition("/")[2]

    def check_quota_project(self, ask, project):
        if project and not (project in CLOUD.projects and ask.allows("serviceusage.services.use")):
            raise Refusal(403, "forbidden", f"Caller does not have required permission to use project {project}. Grant "
                          "the caller the roles/serviceusage.serviceUsageConsumer role, or a custom role with the "
                          "serviceusage.services.use permission.", status="PERMISSION_DENIED",
                          details=[info("USER_PROJECT_DENIED", consumer=f"projects/{project}")])

    def slow_down(self, ask):
        for rule in self.refusals:
            if re.fullmatch(rule.get("method", ".*"), ask.method) and rule.get("count", 1) > 0:
                rule["count"] = rule.get("count", 1) - 1
                raise rate_limited(rule.get("status", 403), CLOUD.projects.get(ask.parameters.get("project"), "0"))


def read_body(call, headers, body):
    """JSON, or the fields of a form."""
    if not body:
        return {}
    if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        call["form"] = True
        content = dict(urllib.parse.parse_qsl(body.decode(errors="replace")))
        call["body"] = {key: value for key, value in content.items() if key == "grant_type"}
        return content
    try:
        content = json.loads(body)
    except ValueError:
        raise Refusal(400, "parseError", "Parse Error", status="INVALID_ARGUMENT") from None
    if call["method"].startswith("iamcredentials."):  # Google's own client writes null for what it leaves out
        content = {name: value for name, value in content.items() if value is not None}
    if call["method"] not in OPEN:
        call["body"] = content
    return content
