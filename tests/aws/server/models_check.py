"""Checks requests and responses against botocore's service models, AWS's own description of its
protocols."""

import datetime
import functools
import json
import urllib.parse

from botocore.loaders import Loader
from botocore.model import OperationNotFoundError, ServiceModel
from botocore.parsers import create_parser
from botocore.validate import ParamValidator


LARGE = 300_000  # bytes; a larger response is not checked: its pages are alike


@functools.lru_cache(maxsize=None)
def model_of(service):
    return ServiceModel(Loader().load_service_model(service, "service-2"), service)


class Unknown(Exception):
    pass


def read_scalar(shape, text):
    kind = shape.type_name
    if kind in ("integer", "long"):
        return int(text)
    if kind in ("float", "double"):
        return float(text)
    if kind == "boolean":
        if text not in ("true", "false"):
            raise Unknown(f"{text!r} is no boolean")
        return text == "true"
    if kind == "timestamp":
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if shape.enum if kind == "string" else False:
        if text not in shape.enum:
            raise Unknown(f"{text!r} is none of {', '.join(shape.enum)}")
    return text


def wire_name(name, shape, is_ec2):
    own = shape.serialization.get("queryName")
    if own:
        return own
    named = shape.serialization.get("name", name)
    return named[:1].upper() + named[1:] if is_ec2 else named


def nest(pairs):
    """{"A.1.B": "x"} as {"A": {"1": {"B": "x"}}}."""
    out = {}
    for key, value in pairs.items():
        at = out
        *path, last = key.split(".")
        for part in path:
            at = at.setdefault(part, {})
            if not isinstance(at, dict):
                raise Unknown(f"{key} is below a value")
        at[last] = value
    return out


def read(shape, value, is_ec2, path):
    """The document that the parameters encode, by the shape. Raises Unknown with the path of what
    the shape lacks."""
    if shape.type_name == "structure":
        names = {wire_name(name, member, is_ec2): (name, member) for name, member in shape.members.items()}
        extra = sorted(set(value) - set(names))
        if extra:
            raise Unknown(f"{path or shape.name} has no {', '.join(extra)}")
        return {names[key][0]: read(names[key][1], each, is_ec2, f"{path}.{key}") for key, each in value.items()}
    if shape.type_name == "list":
        if not is_ec2 and not shape.serialization.get("flattened"):
            if not isinstance(value, dict) or set(value) != {"member"}:
                raise Unknown(f"{path} is a list of members")
            value = value["member"]
        numbers = sorted(int(key) for key in value)
        if numbers != list(range(1, len(numbers) + 1)):
            raise Unknown(f"{path} has the numbers {numbers}")
        return [read(shape.member, value[str(number)], is_ec2, f"{path}.{number}") for number in numbers]
    if isinstance(value, dict):
        raise Unknown(f"{path} is a {shape.type_name}")
    return read_scalar(shape, value)


def check_request(call, environ, body):
    """What in the request AWS's model does not allow, as sentences; empty if nothing."""
    if call["is_metadata"] or call["service"] not in ("autoscaling", "ec2", "sts", "iam", "sqs", "eks"):
        return []
    model = model_of(call["service"])
    try:
        operation = model.operation_model(call["action"])
        if call["service"] == "eks":
            wanted = operation.http["requestUri"].split("/")
            is_same = len(wanted) == len(environ["PATH_INFO"].split("/"))
            return [] if is_same else [f"{environ['PATH_INFO']} is not {operation.http['requestUri']}"]
        if call["service"] == "sqs":
            document = json.loads(body)
        else:
            flat = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))
            flat.pop("Action")
            version = flat.pop("Version", None)
            if version != model.api_version:
                return [f"{call['action']}: the version {version} is not {model.api_version}"]
            document = read(operation.input_shape, nest(flat), call["service"] == "ec2", "") if flat else {}
        if operation.input_shape is None:
            return []
        report = ParamValidator().validate(document, operation.input_shape)
        return [f"{call['action']}: {report.generate_report()}"] if report.has_errors() else []
    except (Unknown, ValueError, KeyError, OperationNotFoundError) as error:
        return [f"{call['action']}: {error}"]


def check_answer(call, status, headers, body):
    """What in the answer, as botocore reads it, AWS's model does not allow: a mistake of this
    server. Else empty."""
    if call["is_metadata"] or call["service"] not in ("autoscaling", "ec2", "eks", "sts", "iam", "sqs"):
        return []
    if len(body) > LARGE:
        return []
    operation = model_of(call["service"]).operation_model(call["action"])
    if operation.output_shape is None:
        return []
    parser = create_parser(operation.metadata.get("protocol", "query"))
    document = parser.parse({"status_code": status, "headers": dict(headers), "body": body}, operation.output_shape)
    document.pop("ResponseMetadata", None)
    report = ParamValidator().validate(document, operation.output_shape)
    return [f"{call['action']}'s answer: {report.generate_report()}"] if report.has_errors() else []
