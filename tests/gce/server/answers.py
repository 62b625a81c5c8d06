"""What answers of all methods have in common: the function of each method, pages, filters, and
partial responses."""

import base64
import re

from .cloud import CLOUD
from .places import link, scope_of
from .refusal import Refusal, invalid

METHODS = {}  # by method id: the function, and whether it may wait, without the lock
MOST = 500  # entries of a page


def method(*ids, waits=False):
    def keep(function):
        for each in ids:
            METHODS[each] = (function, waits)
        return function
    return keep


class Ask:
    """A request to a method."""

    def __init__(self, method_id, parameters, body, principal, token=None):
        self.method, self.parameters, self.body = method_id, parameters, body or {}
        self.principal, self.token = principal, token

    @property
    def project(self):
        return self.parameters["project"]

    @property
    def scope(self):
        return scope_of(self.parameters)

    def number(self, name, usual=None):
        value = self.parameters.get(name)
        return usual if value is None else int(value)

    def flag(self, name):
        return str(self.parameters.get(name, "")).lower() in ("true", "1")

    def list_path(self):
        where = "aggregated" if "aggregated" in self.method else self.scope
        return f"projects/{self.project}/{where}/{self.method.split('.')[1]}"

    def cut(self, items):
        """The items of this page, and the token of the next page."""
        size = self.number("maxResults", MOST) or MOST
        if not 0 < size <= MOST:
            raise invalid("maxResults", size, f"Must be less than or equal to {MOST}.")
        order = self.parameters.get("orderBy")
        if order == "creationTimestamp desc":
            items = sorted(items, key=lambda item: item.get("creationTimestamp", ""), reverse=True)
        elif order not in (None, "name"):
            raise invalid("orderBy", order, "Sorting is only by name or by creationTimestamp desc.")
        begin = start_of(self.parameters.get("pageToken"), len(items))
        shown = items[begin:begin + size]
        return shown, token_of(begin + size) if begin + size < len(items) else None

    def page(self, kind, items):
        """The answer of a list."""
        items = sorted(items, key=lambda item: item.get("name", ""))
        shown, token = self.cut(filtered(items, self.parameters.get("filter")))
        path = self.list_path()
        out = {"kind": kind, "id": path, "selfLink": link(path)}
        if shown:
            out["items"] = shown
        if token:
            out["nextPageToken"] = token
        return out

    def aggregated(self, kind, key, items, scopes):
        """`items`: pairs of scope and entry. The answer has each of `scopes`, also those without an
        entry on this page."""
        path = self.list_path()
        lost = [scope for scope in scopes if scope in CLOUD.unreachable]
        if lost and CLOUD.unreachable_fails:
            raise Refusal(503, "backendError", "Backend Error. Please try again.", status="UNAVAILABLE")
        entries = [{"scope": scope, "entry": entry} for scope, entry in sorted(
            items, key=lambda item: (item[0], item[1].get("name", ""))) if scope not in lost]
        wanted = filtered([each["entry"] for each in entries], self.parameters.get("filter"))
        kept = {id(entry) for entry in wanted}
        shown, token = self.cut([each for each in entries if id(each["entry"]) in kept])
        told = {scope: {key: []} for scope in scopes}
        for each in shown:
            told[each["scope"]][key].append(each["entry"])
        for scope in scopes:
            if not told[scope][key]:
                told[scope] = {"warning": scope_warning(scope, scope in lost)}
        out = {"kind": kind, "id": path, "selfLink": link(path), "items": told}
        if lost:
            out["unreachables"] = lost
        if token:
            out["nextPageToken"] = token
        return out


def scope_warning(scope, is_lost):
    code = "UNREACHABLE" if is_lost else "NO_RESULTS_ON_PAGE"
    message = (f"The scope '{scope}' is not reachable." if is_lost
               else f"There are no results for scope '{scope}' on this page.")
    return {"code": code, "message": message, "data": [{"key": "scope", "value": scope}]}


def token_of(begin):
    return base64.urlsafe_b64encode(b"page %d" % begin).decode()


def start_of(token, count):
    """The index at which the page begins. The token "again", which the proxy adds to replies, means
    the first page."""
    if token in (None, "", "again"):
        return 0
    try:
        begin = int(base64.urlsafe_b64decode(token).removeprefix(b"page "))
    except ValueError:
        begin = -1
    if begin < 0 or begin > count and count:
        raise invalid("pageToken", token, "The page token is invalid.")
    return begin


# Filters: `name eq REGULAR EXPRESSION`, or comparisons that all hold.

REGULAR = re.compile(r"\(?\s*([\w.]+)\s+(eq|ne)\s+(.+?)\s*\)?")
COMPARISON = re.compile(r"([\w.-]+)\s*(!=|=|:)\s*(\"[^\"]*\"|'[^']*'|[^\s()]+)")


def value_of(item, field):
    for name in field.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return {True: "true", False: "false", None: ""}.get(item, str(item)) if not isinstance(item, (dict, list)) else "?"


def holds(item, field, operator, wanted):
    value = value_of(item, field)
    if operator in ("eq", "ne"):
        return (re.fullmatch(wanted, value) is not None) == (operator == "eq")
    if operator == ":":
        return value != "" if wanted == "*" else wanted.rstrip("*") in value
    if "*" in wanted:
        same = re.fullmatch(re.escape(wanted).replace(r"\*", ".*"), value) is not None
    else:
        same = value == wanted
    return same == (operator == "=")


def filtered(items, text):
    if not text:
        return items
    regular = REGULAR.fullmatch(text)
    terms = [regular.groups()] if regular else COMPARISON.findall(text)
    rest = "" if regular else re.sub(r"\bAND\b|[\s()]", "", COMPARISON.sub("", text))
    if not terms or rest:
        raise invalid("filter", text, "Invalid list filter expression.")
    try:
        return [item for item in items
                if all(holds(item, field, operator, value.strip("\"'")) for field, operator, value in terms)]
    except re.error:
        raise invalid("filter", text, "Invalid list filter expression.") from None


# Partial responses: fields=items/*/instanceGroupManagers(name,targetSize),nextPageToken.

class Mask:
    """The parameter `fields` as a tree of names; an empty tree selects everything."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.tree = self.read_list()
        if self.at != len(text) or not text:
            self.refuse()

    def refuse(self):
        raise Refusal(400, "invalidParameter", f"Invalid field selection {self.text}",
                      entry={"location": "fields", "locationType": "parameter"})

    def read_list(self):
        out = {}
        while True:
            name, below = self.read_one()
            out[name] = {**out.get(name, {}), **below}
            if self.text[self.at:self.at + 1] != ",":
                return out
            self.at += 1

    def read_one(self):
        found = re.compile(r"[\w.-]+|\*").match(self.text, self.at)
        if found is None:
            self.refuse()
        self.at = found.end()
        sign = self.text[self.at:self.at + 1]
        if sign == "/":
            self.at += 1
            name, below = self.read_one()
            return found.group(), {name: below}
        if sign == "(":
            self.at += 1
            below = self.read_list()
            if self.text[self.at:self.at + 1] != ")":
                self.refuse()
            self.at += 1
            return found.group(), below
        return found.group(), {}

    def apply(self, value):
        return choose(value, self.tree)


def choose(value, tree):
    if not tree:
        return value
    if isinstance(value, list):
        return [choose(each, tree) for each in value]
    if not isinstance(value, dict):
        return value
    if "*" in tree:
        return {key: choose(each, tree.get(key, tree["*"])) for key, each in value.items()}
    return {key: choose(value[key], below) for key, below in tree.items() if key in value}
