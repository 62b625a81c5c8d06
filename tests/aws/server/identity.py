"""Principals: users with keys, roles that machines and pods assume, and where they get their
credentials.

IMDSv2 demands its token, as AWS does if IMDSv1 is off; EKS Pod Identity and ECS serve credentials
for the token of the pod; STS checks the token of a web identity.
"""

import json

from moto.core import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.core.responses import ActionResult
from moto.iam.models import iam_backends
from moto.iam.responses import IamResponse
from moto.sts.exceptions import STSClientError
from moto.sts.models import sts_backends
from moto.sts.responses import TokenResponse

from . import policy
from .access import documents_of

ANYONE = json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:*"}]})


class Identities:
    def __init__(self):
        self.region = "us-east-1"
        self.machine_role = ""  # of the machine that IMDS describes
        self.pod_role, self.pod_token = "", ""
        self.web_token = ""
        self.session_seconds = 3600
        self.imds_token = "an-imds-token"

    def backend(self):
        return iam_backends[ACCOUNT]["aws"]

    def add_user(self, name, access_key_id, secret_access_key, policy_document):
        backend = self.backend()
        user = backend.create_user(self.region, name)
        key = backend.create_access_key(name)
        del backend.access_keys[key.physical_resource_id]
        key.access_key_id, key.secret_access_key = access_key_id, secret_access_key
        backend.access_keys[access_key_id] = key
        user.policies["own"] = json.dumps(policy_document)

    def add_role(self, name, policy_document):
        role = self.backend().create_role(name, ANYONE, "/", None, "", [], None)
        role.policies["own"] = json.dumps(policy_document)

    def set_policy(self, name, policy_document):
        backend = self.backend()
        owner = backend.users.get(name) or backend.get_role(name)
        owner.policies["own"] = json.dumps(policy_document)

    def session(self, role, name):
        arn = f"arn:aws:iam::{ACCOUNT}:role/{role}"
        return sts_backends[ACCOUNT]["aws"].assume_role(
            region_name=self.region, role_session_name=name, role_arn=arn, policy="",
            duration=self.session_seconds, external_id="")

    def credentials(self, role, name):
        session = self.session(role, name)
        return {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": session.access_key_id,
                "SecretAccessKey": session.secret_access_key, "Token": session.session_token,
                "Expiration": session.expiration.strftime("%Y-%m-%dT%H:%M:%SZ")}


IDENTITIES = Identities()


def answer_metadata(environ):
    """Status and text; None if the request is not about metadata or a pod's credentials."""
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    if path == "/v1/credentials":
        if not IDENTITIES.pod_role or environ.get("HTTP_AUTHORIZATION") != IDENTITIES.pod_token:
            return 401, "Unauthorized"
        return 200, json.dumps(IDENTITIES.credentials(IDENTITIES.pod_role, "eks-shop-capstan"))
    if not path.startswith("/latest/"):
        return None
    if path == "/latest/api/token":
        has_life = "HTTP_X_AWS_EC2_METADATA_TOKEN_TTL_SECONDS" in environ
        return (200, IDENTITIES.imds_token) if method == "PUT" and has_life else (400, "Bad Request")
    if environ.get("HTTP_X_AWS_EC2_METADATA_TOKEN") != IDENTITIES.imds_token:
        return 401, "Unauthorized"
    role, roles = IDENTITIES.machine_role, "/latest/meta-data/iam/security-credentials/"
    if role and path in (roles, roles.rstrip("/")):
        return 200, role
    if role and path == roles + role:
        return 200, json.dumps(IDENTITIES.credentials(role, "i-0aaaaaaaaaaaaaaaa"))
    if path == "/latest/meta-data/placement/region":
        return 200, IDENTITIES.region
    return 404, "Not Found"


_assume = TokenResponse.assume_role_with_web_identity


def assume_role_with_web_identity(self):
    if IDENTITIES.web_token and self._get_param("WebIdentityToken") != IDENTITIES.web_token:
        raise STSClientError("InvalidIdentityToken", "Couldn't retrieve verification key from your identity "
                               "provider,  please reference AssumeRoleWithWebIdentity documentation for requirements")
    return _assume(self)


def simulate_principal_policy(self):
    """Decides only by the context that the caller states: AWS looks up no tags for a simulation."""
    documents = documents_of(self._get_param("PolicySourceArn"))
    context = {entry["ContextKeyName"]: entry["ContextKeyValues"]
               for entry in self._get_param("ContextEntries", None) or []}
    results = []
    for resource in self._get_param("ResourceArns", None) or ["*"]:
        for action in self._get_param("ActionNames", []):
            decision, missing = policy.simulate(documents, action, resource, context)
            results.append({"EvalActionName": action, "EvalResourceName": resource, "EvalDecision": decision,
                            "MatchedStatements": [], "MissingContextValues": missing})
    return ActionResult({"EvaluationResults": results, "IsTruncated": False})


def install():
    TokenResponse.assume_role_with_web_identity = assume_role_with_web_identity
    IamResponse.simulate_principal_policy = simulate_principal_policy
