"""The endpoints that issue tokens: OAuth for keys and users, sts for workloads, iamcredentials for
impersonation."""

import base64
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from .answers import method
from .clock import CLOCK
from .identity import CLOUD_PLATFORM, IDENTITIES
from .refusal import Refusal, TokenRefusal, info, invalid

JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
LONGEST = 3600  # seconds for which an assertion or an impersonated token may be valid


def refuse(error, description, code=400):
    raise TokenRefusal(code, error, description)


def oauth_token(form):
    """POST /token."""
    grant = form.get("grant_type")
    if grant == JWT_GRANT:
        token = token_of_assertion(form.get("assertion", ""))
    elif grant == "refresh_token":
        token = token_of_user(form)
    else:
        refuse("unsupported_grant_type", f"Invalid grant_type: {grant}")
    return {"access_token": token.text, "expires_in": token.seconds_left, "token_type": "Bearer"}


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def token_of_assertion(assertion):
    try:
        head, claims, signature = assertion.split(".")
        header, claim = json.loads(decoded(head)), json.loads(decoded(claims))
        signature = decoded(signature)
    except ValueError:
        refuse("invalid_grant", "Invalid JWT: The JWT is malformed.")
    principal = IDENTITIES.principals.get(claim.get("iss"))
    if principal is None:
        refuse("invalid_grant", "Invalid grant: account not found")
    if header.get("alg") != "RS256" or principal.key is None or header.get("kid") not in (None, principal.key_id):
        refuse("invalid_grant", "Invalid JWT Signature.")
    try:
        principal.key.public_key().verify(signature, f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        refuse("invalid_grant", "Invalid JWT Signature.")
    check_times(claim)
    if not str(claim.get("aud", "")).endswith("/token"):
        refuse("invalid_grant", "Invalid JWT: Failed audience check.")
    scopes = str(claim.get("scope", "")).split()
    if not scopes:
        refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
    return IDENTITIES.give(principal.name, scopes)


def check_times(claim):
    now, begins, ends = CLOCK.now(), claim.get("iat"), claim.get("exp")
    if not isinstance(begins, (int, float)) or not isinstance(ends, (int, float)) or ends <= now or \
            begins > now + 300 or not 0 < ends - begins <= LONGEST:
        refuse("invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                                "timeframe. Check your iat and exp values in the JWT claim.")


def token_of_user(form):
    client = [each for each in IDENTITIES.users if each["client_id"] == form.get("client_id")]
    if not client:
        refuse("invalid_client", "The OAuth client was not found.", 401)
    if client[0]["client_secret"] != form.get("client_secret"):
        refuse("invalid_client", "Unauthorized", 401)
    for each in client:
        if each["refresh_token"] == form.get("refresh_token"):
            return IDENTITIES.give(each["email"], each.get("scopes") or [CLOUD_PLATFORM])
    return refuse("invalid_grant", "Token has been expired or revoked.")


@method("sts.token")
def exchange(ask):
    """Accepts field names in snake_case and camelCase, as sts does."""
    def field(name):
        first, *others = name.split("_")
        return ask.body.get(name) or ask.body.get(first + "".join(each.title() for each in others))

    workload = IDENTITIES.workload
    if field("grant_type") != EXCHANGE_GRANT:
        refuse("unsupported_grant_type", f"Invalid value for \"grantType\". Allowed values are: {EXCHANGE_GRANT}")
    if field("requested_token_type") != ACCESS_TOKEN:
        refuse("invalid_request", f"Invalid value for \"requestedTokenType\". Allowed values are: {ACCESS_TOKEN}")
    if not workload or field("audience") != workload["audience"]:
        refuse("invalid_target", "The target service indicated by the \"audience\" parameters is invalid. This might "
                                 "either be because the pool or provider is disabled or deleted or because it doesn't "
                                 "exist.")
    if field("subject_token") != workload["token"] or \
            field("subject_token_type") != workload.get("token_type", "urn:ietf:params:oauth:token-type:jwt"):
        refuse("invalid_grant", "The given credential is rejected by the attribute condition.")
    if not field("scope"):
        refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
    token = IDENTITIES.give(IDENTITIES.workload_name(), field("scope").split())
    return {"access_token": token.text, "issued_token_type": ACCESS_TOKEN, "token_type": "Bearer",
            "expires_in": token.seconds_left}


@method("iamcredentials.projects.serviceAccounts.generateAccessToken")
def generate_access_token(ask):
    email = ask.parameters["name"].rsplit("/", 1)[-1]
    if email not in IDENTITIES.principals or not ask.allows("iam.serviceAccounts.getAccessToken"):
        permission = "iam.serviceAccounts.getAccessToken"
        raise Refusal(403, "forbidden", f"Permission '{permission}' denied on resource (or it may not exist).",
                      status="PERMISSION_DENIED",
                      details=[info("IAM_PERMISSION_DENIED", "iam.googleapis.com", permission=permission)])
    scopes = ask.body.get("scope") or []
    if not scopes:
        raise invalid("scope", "", "At least one scope is needed.")
    seconds = float(str(ask.body.get("lifetime", "3600s")).removesuffix("s"))
    if not 0 < seconds <= LONGEST:
        raise invalid("lifetime", ask.body["lifetime"], "It is at most 3600s.")
    token = IDENTITIES.give(email, scopes, min(seconds, IDENTITIES.token_seconds))
    return {"accessToken": token.text, "expireTime": CLOCK.text(after=token.seconds_left)}
