"""What server and proxy share of AWS's protocols: how a request is read, and how a refusal is
written.

tests/clouds/proxy describes the functions.
"""

import json
import re
import urllib.parse
import uuid


def refusal(request, code, _, message):
    """Content type, headers and body, as the service's protocol has them."""
    service, code, id_ = request["service"], code or "Throttling", str(uuid.uuid4())
    text = message.replace("&", "&amp;").replace("<", "&lt;")
    if service == "ec2":
        return "text/xml", {}, (f'<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>{code}</Code>'
                                f"<Message>{text}</Message></Error></Errors><RequestID>{id_}</RequestID></Response>")
    if service == "eks":
        return "application/json", {"x-amzn-ErrorType": code}, json.dumps({"message": message})
    if service == "sqs":
        return "application/x-amz-json-1.0", {}, json.dumps(
            {"__type": f"com.amazon.coral.service#{code}", "Message": message})
    return "text/xml", {}, (f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{text}</Message>"
                            f"</Error><RequestId>{id_}</RequestId></ErrorResponse>")


def read_request(method, path, headers, body):
    """Service, region, action and parameters, flat. `headers`: names in lower case."""
    out = {"service": "", "region": "us-east-1", "action": "", "parameters": {},
           "is_metadata": path.startswith("/latest/")}
    scope = headers.get("authorization", "").partition("Credential=")[2].partition(",")[0].split("/")
    if len(scope) == 5:
        out["region"], out["service"] = scope[2], scope[3]
    parts = path.partition("?")[0].strip("/").split("/")
    target = headers.get("x-amz-target", "")
    if target:
        out["action"], out["parameters"] = target.split(".")[-1], json.loads(body or b"{}")
    elif out["service"] == "eks":
        if method == "GET" and len(parts) == 4:
            out["action"] = "DescribeNodegroup"
            out["parameters"] = {"cluster": parts[1], "nodegroup": parts[3]}
    elif not out["is_metadata"]:
        out["parameters"] = dict(urllib.parse.parse_qsl(body.decode(errors="replace"), keep_blank_values=True))
        out["action"] = out["parameters"].get("Action", "")
        if out["action"] == "AssumeRoleWithWebIdentity":
            out["service"] = "sts"
    return out


def once_more(body):
    body = re.sub(rb"<NextToken>[^<]*</NextToken>|<NextToken ?/>", b"", body)
    return re.sub(rb"(</\w+Result>)", rb"<NextToken>again</NextToken>\1", body, count=1)
