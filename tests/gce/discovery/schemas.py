"""Checks values against the schemas of a discovery document."""

import re

MANY = 200  # items of a list; of longer lists only every tenth is checked, since items are alike
INT_SIZES = {"int32": 2**31, "uint32": 2**32, "int64": 2**63, "uint64": 2**64}


def check_integer(value, form):
    limit = INT_SIZES.get(form, 2**63)
    least = 0 if form.startswith("u") else -limit
    return [] if least <= int(value) < limit else [f"{value} is no {form}"]


def check_text(spec, value):
    form = spec.get("format", "")
    if form in ("int64", "uint64"):
        return check_integer(value, form) if re.fullmatch(r"-?\d+", value) else [f"{value!r} is no {form}"]
    if spec.get("enum") and value not in spec["enum"]:
        return [f"{value!r} is none of {', '.join(spec['enum'][:12])}"]
    if spec.get("pattern") and not re.fullmatch(spec["pattern"], value):
        return [f"{value!r} is no {spec['pattern']}"]
    return []


def check_scalar(spec, value):
    kind = spec["type"]
    if kind == "string":
        return check_text(spec, value) if isinstance(value, str) else [f"{value!r} is no text"]
    if kind == "boolean":
        return [] if isinstance(value, bool) else [f"{value!r} is no boolean"]
    if kind == "integer":
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return check_integer(value, spec.get("format", "int32")) if is_whole else [f"{value!r} is no integer"]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [] if is_number else [f"{value!r} is no number"]


def at(place, found):
    return [f"{place}: {text}" for text in found] if place else found


def check_object(schemas, spec, value, method):
    if not isinstance(value, dict):
        return [f"{value!r} is no object"]
    out = []
    for name, own in spec.get("properties", {}).items():
        needed_by = own.get("annotations", {}).get("required", [])
        if method in needed_by and name not in value:
            out.append(f"{name} is absent")
    for name, item in value.items():
        own = spec.get("properties", {}).get(name, spec.get("additionalProperties"))
        if own is None:
            out.append(f"there is no {name}")
        else:
            out += at(name, check_spec(schemas, own, item, method))
    return out


def check_spec(schemas, spec, value, method):
    if "$ref" in spec:
        return check_spec(schemas, schemas[spec["$ref"]], value, method)
    kind = spec.get("type", "any")
    if kind == "any":
        return []
    if kind == "object":
        return check_object(schemas, spec, value, method)
    if kind == "array":
        if not isinstance(value, list):
            return [f"{value!r} is no list"]
        step = 1 if len(value) <= MANY else 10
        out = []
        for index in range(0, len(value), step):
            out += at(f"[{index}]", check_spec(schemas, spec["items"], value[index], method))
        return out
    return check_scalar(spec, value)


def check(schemas, name, value, method=None):
    """`method`: the method of a request, whose required fields must be present; None for an
    answer."""
    return check_spec(schemas, {"$ref": name}, value, method)


def check_parameter(name, spec, value):
    """`value`: text from a path or a query, or a value of any type from a call of a test."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if spec["type"] == "boolean":
        return [] if text in ("true", "false") else at(name, [f"{text!r} is no boolean"])
    if spec["type"] in ("integer", "number"):
        if not re.fullmatch(r"-?\d+", text):
            return at(name, [f"{text!r} is no integer"])
        found = check_integer(text, spec.get("format", "int32"))
        least, most = spec.get("minimum"), spec.get("maximum")
        if least is not None and int(text) < int(least) or most is not None and int(text) > int(most):
            found = found + [f"{text} is not from {least} to {most}"]
        return at(name, found)
    return at(name, check_text(spec, text))
