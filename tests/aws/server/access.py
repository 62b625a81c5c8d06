"""Checks every request before its action: who sent it, its signature, its date, and whether the
action is allowed.

moto checks signature, key, token and action (its classes of `iam.access_control`). Ours are the
checks of the date and of expired sessions, resources and conditions (policy.py), DryRun, refusals
in each protocol's own form, and the record of all calls.
"""

import datetime
import io
import threading
import urllib.parse
import uuid

from moto.core import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.core.exceptions import AccessDeniedError
from moto.iam import access_control
from moto.iam.models import iam_backends
from moto.sts.models import sts_backends
from werkzeug.datastructures import EnvironHeaders

from wire import read_request, refusal as written

from . import models_check, policy
from .clock import CLOCK
from .groups import reconcile_all

SKEW = 300  # seconds that a request's date may be off
LOCK = threading.RLock()


class Refusal(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


# Status and code of refusals that differ from those of most services: 403 and the code itself.
CODES = {
    ("ec2", "SignatureDoesNotMatch"): (401, "AuthFailure"),
    ("ec2", "InvalidClientTokenId"): (401, "AuthFailure"),
    ("ec2", "ExpiredToken"): (400, "RequestExpired"),
    ("ec2", "AccessDenied"): (403, "UnauthorizedOperation"),
    ("eks", "SignatureDoesNotMatch"): (403, "InvalidSignatureException"),
    ("eks", "InvalidClientTokenId"): (403, "UnrecognizedClientException"),
    ("eks", "ExpiredToken"): (403, "ExpiredTokenException"),
    ("eks", "AccessDenied"): (403, "AccessDeniedException"),
    ("sqs", "SignatureDoesNotMatch"): (403, "InvalidSignatureException"),
    ("sqs", "InvalidClientTokenId"): (403, "UnrecognizedClientException"),
    ("sqs", "ExpiredToken"): (403, "ExpiredTokenException"),
    ("sqs", "AccessDenied"): (403, "AccessDeniedException"),
}


def refuse(service, code, message):
    status, named = CODES.get((service, code), (403, code))
    raise Refusal(status, named, message)


class Request(access_control.IAMRequest):
    """moto's check. It would take the query of a GET request for the body, so the body is
    emptied."""

    def _create_aws_request(self):
        if self._method == "GET":
            self._data = b""
        return super()._create_aws_request()

    def collect(self):
        """Policy documents of the principal, as they were written."""
        out = []
        for each in self._access_key.collect_policies():
            if isinstance(each, dict):
                out.append(each["policy_document"])
            elif isinstance(each, str):
                out.append(each)
            else:
                out.append(next(version.document for version in each.versions if version.is_default))
        return out

    def check_action_permitted(self, resource="*"):
        documents = [policy.without_resources(document) for document in self.collect()]
        self._access_key.collect_policies = lambda: documents
        super().check_action_permitted(resource)

    @property
    def principal(self):
        return self._access_key.arn


def documents_of(principal):
    """The policies of the user or role with this ARN, for SimulatePrincipalPolicy."""
    backend = iam_backends[ACCOUNT]["aws"]
    kind, _, name = principal.split(":", 5)[5].partition("/")
    name = name.split("/")[0] if kind == "assumed-role" else name.split("/")[-1]
    owner = backend.get_user(name) if kind == "user" else backend.get_role(name)
    return list(owner.policies.values())


class Access:
    """WSGI in front of moto. Requests with "capstan.trusted" in `environ` are neither checked nor
    recorded."""

    def __init__(self, inner):
        self.inner = inner
        self.reset()

    def reset(self):
        self.calls = []
        self.is_enforcing = True
        self.expired = set()  # access keys whose sessions a test has ended

    def __call__(self, environ, start_response):
        if environ.get("capstan.trusted"):
            with LOCK:
                return list(self.inner(environ, start_response))
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        call = describe(environ, body)
        answered = {}

        def remember(status, headers, exc_info=None):
            answered["status"], answered["headers"] = int(status.split()[0]), headers
            named = {name.lower() for name, _ in headers}
            if "x-amzn-requestid" not in named:
                headers = [*headers, ("x-amzn-RequestId", str(uuid.uuid4()))]
            return start_response(status, headers, exc_info)

        with LOCK:
            reconcile_all()
            call["number"] = len(self.calls) + 1
            self.calls.append(call)
            out = self.checked(environ, body, call, remember)
            if out is None and call["service"] != "sqs":
                out = b"".join(self.inner(environ, remember))
                reconcile_all()
        if out is None:  # a request to a queue may wait for a message, so it must not hold the lock
            out = b"".join(self.inner(environ, remember))
        call["status"] = answered["status"]
        if answered["status"] >= 300:
            call["answer"] = out.decode(errors="replace")[:2000]
        elif self.is_enforcing:
            call["violations"] += models_check.check_answer(call, answered["status"], answered["headers"], out)
        return [out]

    def checked(self, environ, body, call, start_response):
        """The response of a refusal; None if the request is allowed."""
        try:
            self.check(environ, body, call)
            return None
        except Refusal as refusal:
            return answer_refusal(refusal, call, start_response)

    def check(self, environ, body, call):
        call["violations"] = models_check.check_request(call, environ, body)
        service, action = call["service"], call["action"]
        if action == "AssumeRoleWithWebIdentity" and "HTTP_AUTHORIZATION" not in environ:
            return
        if not self.is_enforcing or call["is_metadata"]:
            return
        headers = EnvironHeaders(environ)
        if "Authorization" not in headers:
            refuse(service, "MissingAuthenticationToken", "Request is missing Authentication Token")
        self.check_date(headers.get("X-Amz-Date", ""), service)
        request = self.check_signature(environ, headers, body, call)
        call["principal"] = request.principal
        self.check_permission(request, call)
        if service == "ec2" and call["parameters"].get("DryRun") == "true":
            raise Refusal(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.")

    def check_date(self, text, service):
        try:
            at = datetime.datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            refuse(service, "IncompleteSignature", f"Date must be in ISO-8601 'basic format'. Got '{text}'.")
        now = CLOCK.moment()
        off = (now - at).total_seconds()
        shown = now.strftime("%Y%m%dT%H%M%SZ")
        if off > SKEW:
            limit = (now - datetime.timedelta(seconds=SKEW)).strftime("%Y%m%dT%H%M%SZ")
            refuse(service, "SignatureDoesNotMatch",
                   f"Signature expired: {text} is now earlier than {limit} ({shown} - 5 min.)")
        if off < -SKEW:
            limit = (now + datetime.timedelta(seconds=SKEW)).strftime("%Y%m%dT%H%M%SZ")
            refuse(service, "SignatureDoesNotMatch",
                   f"Signature not yet current: {text} is still later than {limit} ({shown} + 5 min.)")

    def check_signature(self, environ, headers, body, call):
        path = urllib.parse.urlsplit(environ.get("RAW_URI") or environ["PATH_INFO"]).path
        query = environ.get("QUERY_STRING", "")
        try:
            right = policy.right_for(f"{call['service']}:{call['action']}").partition(":")[2]
            request = Request(ACCOUNT, environ["REQUEST_METHOD"], path + (f"?{query}" if query else ""),
                              call["parameters"], body, headers, right)
            request.check_signature()
        except access_control.InvalidClientTokenIdError:
            refuse(call["service"], "InvalidClientTokenId", "The security token included in the request is invalid.")
        except access_control.SignatureDoesNotMatchError:
            refuse(call["service"], "SignatureDoesNotMatch",
                   "The request signature we calculated does not match the signature you provided. Check your AWS "
                   "Secret Access Key and signing method. Consult the service documentation for details.")
        except access_control.AuthFailureError:
            refuse("ec2", "SignatureDoesNotMatch",
                   "AWS was not able to validate the provided access credentials")
        key = request._access_key._access_key_id
        if key in self.expired or is_over(key):
            refuse(call["service"], "ExpiredToken", "The security token included in the request is expired")
        return request

    def check_permission(self, request, call):
        action = policy.right_for(f"{call['service']}:{call['action']}")
        if action == "sts:GetCallerIdentity":
            return
        action, decision, arn = policy.decide_all(request.collect(), action, call["parameters"], call["region"])
        call["resource"], call["decision"] = arn, decision
        try:
            request.check_action_permitted()
        except AccessDeniedError:
            decision = "implicitDeny" if decision == "allowed" else decision
        if decision == "allowed":
            return
        why = ("with an explicit deny in an identity-based policy" if decision == "explicitDeny"
               else f"because no identity-based policy allows the {action} action")
        where = "" if arn == "*" else f" on resource: {arn}"
        text = f"User: {request.principal} is not authorized to perform: {action}{where} {why}"
        if call["service"] == "ec2":
            text = f"You are not authorized to perform this operation. {text}"
        refuse(call["service"], "AccessDenied", text)


def is_over(key):
    """Whether the access key belongs to a session that has expired."""
    role = sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(key)
    if role is None:
        return False
    ends = role.expiration
    if ends.tzinfo is None:
        ends = ends.replace(tzinfo=datetime.timezone.utc)
    return ends <= CLOCK.moment()


def answer_refusal(refusal, call, start_response):
    type_, headers, text = written(call, refusal.code, refusal.status, refusal.message)
    out = text.encode()
    start_response(f"{refusal.status} Refused", [("Content-Type", type_), ("Content-Length", str(len(out))),
                                                 *headers.items()])
    return out


def describe(environ, body):
    """The record of a request, which is completed when the request is answered."""
    headers = {name.lower(): value for name, value in EnvironHeaders(environ).items()}
    return {**read_request(environ["REQUEST_METHOD"], environ["PATH_INFO"], headers, body),
            "at": CLOCK.now(), "principal": "", "violations": []}
