"""Checks by Google's discovery documents: routes, parameters, bodies and answers of the services in
DOCUMENTS.

The documents are those of the package google-api-python-client. Method ids are theirs, with the service in front:
"compute.instanceGroupManagers.list". A check returns what does not fit the documents, as a list of
sentences.

    found = discovery.find("GET", "/compute/v1/projects/p/zones/us-central1-a/instanceGroupManagers")
    method, in_path = found
    discovery.check_request(method, in_path, {"maxResults": "500"}, None)
    discovery.check_answer(method, {"items": []})
"""

import functools
import json
import os
import re

import googleapiclient

from . import masks, schemas

DOCUMENTS = {"compute": "compute.v1", "cloudresourcemanager": "cloudresourcemanager.v3", "sts": "sts.v1",
             "iamcredentials": "iamcredentials.v1"}


class Method:
    def __init__(self, service, document, spec):
        self.service, self.spec = service, spec
        name = spec["id"]
        self.id = name if name.startswith(service + ".") else f"{service}.{name}"
        self.parameters = spec.get("parameters", {})
        self.http_method = spec["httpMethod"]
        self.path = "/" + document.get("servicePath", "") + spec["path"]
        self.pattern = re.compile(re.sub(r"\{(\+?)(\w+)\}", self._part, self.path))
        self.in_path = {name for name, value in self.parameters.items() if value["location"] == "path"}
        self.request = spec.get("request", {}).get("$ref")
        self.response = spec.get("response", {}).get("$ref")

    def _part(self, found):
        is_whole, name = found.groups()
        if is_whole:
            return f"(?P<{name}>{self.parameters[name]['pattern'].strip('^$')})"
        return f"(?P<{name}>[^/:]+(?::[^/:]+)?)"


def methods_below(service, document, resource):
    for spec in resource.get("methods", {}).values():
        yield Method(service, document, spec)
    for inner in resource.get("resources", {}).values():
        yield from methods_below(service, document, inner)


@functools.lru_cache(maxsize=None)
def document_of(service):
    folder = os.path.join(os.path.dirname(googleapiclient.__file__), "discovery_cache", "documents")
    with open(os.path.join(folder, DOCUMENTS[service] + ".json"), encoding="utf-8") as file:
        return json.load(file)


@functools.lru_cache(maxsize=None)
def methods():
    """All methods by their ids."""
    out = {}
    for service in DOCUMENTS:
        document = document_of(service)
        for method in methods_below(service, document, document):
            out[method.id] = method
    return out


@functools.lru_cache(maxsize=None)
def routes():
    """Methods by HTTP method and number of slashes, so that few expressions are tried."""
    out = {}
    for method in methods().values():
        key = (method.http_method, None if "{+" in method.path else method.path.count("/"))
        out.setdefault(key, []).append(method)
    return out


def find(http_method, path):
    """The method's id and its parameters in the path; None: there is no such route."""
    for key in ((http_method, path.count("/")), (http_method, None)):
        for method in routes().get(key, []):
            found = method.pattern.fullmatch(path)
            if found:
                return method.id, found.groupdict()
    return None


def split(method_id, parameters):
    """Parameters of the path, and those of the query."""
    method = methods()[method_id]
    in_path = {name: value for name, value in parameters.items() if name in method.in_path}
    return in_path, {name: value for name, value in parameters.items() if name not in in_path}


def scopes(method_id):
    """The OAuth scopes of a method; any one of them is enough."""
    return methods()[method_id].spec.get("scopes", [])


def check_request(method_id, in_path, query, body):
    method = methods()[method_id]
    document = document_of(method.service)
    out = []
    for name, spec in method.parameters.items():
        if spec.get("required") and name not in in_path and name not in query:
            out.append(f"the parameter {name} is absent")
    for name, value in {**in_path, **query}.items():
        spec = method.parameters.get(name) or document["parameters"].get(name)
        if spec is None:
            out.append(f"there is no parameter {name}")
        else:
            out += schemas.check_parameter(name, spec, value)
    if "fields" in query and method.response:
        out += masks.check(document["schemas"], method.response, query["fields"])
    if method.request is None:
        return out + (["it takes no body"] if body is not None else [])
    return out + schemas.check(document["schemas"], method.request, {} if body is None else body, method_id)


def check_answer(method_id, answer):
    method = methods()[method_id]
    if method.response is None:
        return []
    return schemas.check(document_of(method.service)["schemas"], method.response, answer)
