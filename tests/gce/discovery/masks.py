"""Field masks of partial responses: "nextPageToken,items(id,status),items/*/warning(code)"."""

import re


def check(schemas, name, mask):
    """What is wrong with the mask of an answer with the schema `name`, as sentences."""
    rest, out = parse(schemas, {"$ref": name}, mask)
    return ["fields: " + text for text in out + ([f"{rest!r} is left over"] if rest else [])]


def resolved(schemas, spec):
    while "$ref" in spec or spec.get("type") == "array":
        spec = schemas[spec["$ref"]] if "$ref" in spec else spec["items"]
    return spec


def child(schemas, spec, name):
    spec = resolved(schemas, spec)
    if name == "*":
        return spec.get("additionalProperties")
    return spec.get("properties", {}).get(name, spec.get("additionalProperties"))


def parse(schemas, spec, text):
    """Parses selectors up to a closing bracket. Returns the rest of the text, and what is wrong."""
    out = []
    while text and text[0] != ")":
        name, text = re.match(r"([\w*]*)(.*)", text, re.DOTALL).groups()
        own = child(schemas, spec, name)
        if own is None:
            return "", out + [f"there is no {name!r}"]
        while text.startswith("/"):
            name, text = re.match(r"/([\w*]*)(.*)", text, re.DOTALL).groups()
            own = child(schemas, own, name)
            if own is None:
                return "", out + [f"there is no {name!r}"]
        if text.startswith("("):
            text, found = parse(schemas, own, text[1:])
            out += found
            if not text.startswith(")"):
                return text, out + ["a bracket is not closed"]
            text = text[1:]
        if text.startswith(","):
            text = text[1:]
    return text, out
