"""Principals: service accounts with keys, the machine's account, users, workloads of other clouds;
and their tokens."""

import json
import secrets
import uuid

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from .cloud import CLOUD
from .clock import CLOCK

CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"


class Principal:
    """`permissions`: "*" allows all. `roles`: files as gcloud takes them for custom roles."""

    def __init__(self, name, permissions=(), roles=()):
        self.name, self.permissions = name, set(permissions)
        for file in roles:
            with open(file, encoding="utf-8") as text:
                self.permissions.update(yaml.safe_load(text)["includedPermissions"])
        self.key = self.key_id = None

    def may(self, permission):
        return permission in self.permissions or "*" in self.permissions

    def make_key(self):
        if self.key is None:
            self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            self.key_id = uuid.uuid4().hex + "00000000"
        return self.key


class Token:
    def __init__(self, principal, scopes, seconds):
        self.text = "ya29." + secrets.token_urlsafe(48)
        self.principal, self.scopes = principal, list(scopes)
        self.expires = CLOCK.now() + seconds

    @property
    def seconds_left(self):
        return int(self.expires - CLOCK.now())


class Identities:
    def __init__(self):
        self.principals, self.tokens = {}, {}
        self.machine_account, self.machine_scopes = "", [CLOUD_PLATFORM]
        self.machine_zone, self.machine_name = "us-central1-a", "capstan-0"
        self.workload, self.users = {}, []
        self.token_seconds = 3600.0
        self.universe = "googleapis.com"

    def add(self, wanted):
        """`{"accounts": [{"email", "permissions", "roles"}], "machine_account", "workload", "users", ...}`."""
        for each in wanted.get("accounts", []):
            self.set(each["email"], each.get("permissions", []), each.get("roles", []))
        for each in wanted.get("users", []):
            self.set(each["email"], each.get("permissions", []), each.get("roles", []))
            self.users.append(each)
        if "workload" in wanted:
            self.workload = wanted["workload"]
            self.set(self.workload_name(), self.workload.get("permissions", []), self.workload.get("roles", []))
        for name in ("machine_account", "machine_scopes", "machine_zone", "machine_name", "token_seconds", "universe"):
            if name in wanted:
                setattr(self, name, wanted[name])

    def workload_name(self):
        pool = self.workload["audience"].split("/providers/")[0].removeprefix("//iam.googleapis.com/")
        return f"principal://iam.googleapis.com/{pool}/subject/{self.workload.get('subject', 'capstan')}"

    def set(self, name, permissions, roles=()):
        """Sets the permissions of a principal. Its keys and tokens stay valid."""
        new = Principal(name, permissions, roles)
        if name in self.principals:
            self.principals[name].permissions = new.permissions
        else:
            self.principals[name] = new

    def give(self, name, scopes, seconds=None):
        token = Token(self.principals[name], scopes, self.token_seconds if seconds is None else seconds)
        self.tokens[token.text] = token
        return token

    def find(self, text):
        """A valid token; None if it is unknown or has expired."""
        token = self.tokens.get(text)
        return token if token is not None and token.expires > CLOCK.now() else None

    def expire(self, text=""):
        """Ends this token; "" ends all so far. Returns how many."""
        ended = [token for token in self.tokens.values() if text in ("", token.text)]
        for token in ended:
            token.expires = 0.0
        return len(ended)

    def key_file(self, email, url):
        """The key file of a service account in the console's form, with the token endpoint at
        `url`."""
        principal = self.principals[email]
        key = principal.make_key()
        text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                 serialization.NoEncryption()).decode()
        return {"type": "service_account", "project_id": next(iter(CLOUD.projects)), "private_key_id": principal.key_id,
                "private_key": text, "client_email": email, "client_id": "100000000000000000001",
                "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": f"{url}/token",
                "universe_domain": self.universe}


IDENTITIES = Identities()


# The metadata server.

def answer_metadata(method, path, query, headers):
    """Status, text, type; None if the request is not about metadata."""
    if path == "/":
        return 200, "computeMetadata/\n", "application/text"
    if not path.startswith("/computeMetadata/v1/"):
        return None
    if headers.get("metadata-flavor") != "Google" or "x-forwarded-for" in headers:
        return 403, FORBIDDEN, "text/html; charset=UTF-8"
    if method != "GET":
        return 405, "Method Not Allowed", "text/html; charset=UTF-8"
    found = metadata_of(path.removeprefix("/computeMetadata/v1/").rstrip("/"), query)
    if found is None:
        return 404, NOT_FOUND, "text/html; charset=UTF-8"
    if isinstance(found, str):
        return 200, found, "application/text"
    return 200, json.dumps(found), "application/json"


def metadata_of(path, query):
    project, number = next(iter(CLOUD.projects.items()))
    account = IDENTITIES.machine_account
    texts = {"project/project-id": project, "project/numeric-project-id": number,
             "instance/zone": f"projects/{number}/zones/{IDENTITIES.machine_zone}",
             "instance/name": IDENTITIES.machine_name, "instance/id": "4520031799277581759",
             "universe/universe-domain": IDENTITIES.universe}
    if path in texts:
        return texts[path]
    begin = "instance/service-accounts"
    if not account or not path.startswith(begin):
        return None
    if path == begin:
        return f"default/\n{account}/\n"
    who, _, what = path.removeprefix(begin + "/").partition("/")
    if who not in ("default", account):
        return None
    told = {"aliases": ["default"], "email": account, "scopes": IDENTITIES.machine_scopes}
    if what == "":
        return told if query.get("recursive", "").lower() == "true" else "aliases\nemail\nidentity\nscopes\ntoken\n"
    if what == "token":
        asked = query.get("scopes")
        token = IDENTITIES.give(account, asked.split(",") if asked else IDENTITIES.machine_scopes)
        return {"access_token": token.text, "expires_in": token.seconds_left, "token_type": "Bearer"}
    found = told.get(what)
    return "\n".join(found) + "\n" if isinstance(found, list) else found


FORBIDDEN = ("<!DOCTYPE html>\n<html lang=en>\n  <title>Error 403 (Forbidden)!!1</title>\n  <p><b>403.</b> <ins>That's "
             "an error.</ins>\n  <p>Your client does not have permission to get this URL from this server. Missing "
             "Metadata-Flavor:Google header.\n")
NOT_FOUND = ("<!DOCTYPE html>\n<html lang=en>\n  <title>Error 404 (Not Found)!!1</title>\n  <p><b>404.</b> <ins>That's "
             "an error.</ins>\n  <p>The requested URL was not found on this server.\n")
