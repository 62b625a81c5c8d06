#!/usr/bin/env python3
"""signatures.py PYTHON SIGNER: checks that the plugin and botocore sign random requests in the same way.

PYTHON is the interpreter that has botocore. Without botocore the exit status is 77, or 1 with CI=true. SIGNER is the
program built from signer.cpp. The seed is printed; SEED=n repeats a run.
signatures.py --table prints cases with botocore's signatures, in the form of tests/cases/aws/signatures.json.
"""
import datetime
import json
import os
import random
import string
import subprocess
import sys
import urllib.parse
from unittest import mock

REQUESTS = 2000
WORDS = ["a", "web", "us-east-1a", "ä", "日本", "x y", "100%", "a/b", "a+b", "k=v", "~", "-._", "'()*!", "", "%41", "\t"]
HOSTS = ["autoscaling.eu-central-1.amazonaws.com", "EKS.us-west-2.amazonaws.com", "127.0.0.1:5000", "[::1]:8080",
         "example.amazonaws.com:443", "example.amazonaws.com:80"]


def any_text(rng, most=4):
    return "".join(rng.choice(WORDS) for _ in range(rng.randrange(1, most)))


def any_path(rng):
    def segment():
        kind = rng.randrange(10)
        if kind == 0:
            return rng.choice(["", ".", ".."])
        return urllib.parse.quote(any_text(rng), safe="-_.~")
    path = "".join("/" + segment() for _ in range(rng.randrange(0, 5)))
    return path + rng.choice(["", "/"])


def any_query(rng):
    pairs = []
    for _ in range(rng.randrange(0, 6)):
        name = urllib.parse.quote(rng.choice(["a", "A", "b", "Action", "ä", "x y", "a-b", "aB"]), safe="-_.~")
        kind = rng.randrange(5)
        pairs.append(name if kind == 0 else name + "=" + urllib.parse.quote(any_text(rng), safe="-_.~"))
    return ("?" + "&".join(pairs)) if pairs else ""


def any_headers(rng):
    headers = []
    for _ in range(rng.randrange(0, 5)):
        name = rng.choice(["Content-Type", "accept", "X-Amz-Target", "user-agent", "Expect", "My-Header", "my-header"])
        value = rng.choice(["application/json", "  two   blanks ", "a,b", "text/xml; charset=utf-8", "\"q  q\"", ""])
        headers.append([name, value])
    return headers


def any_case(rng):
    body = "" if rng.random() < 0.3 else "&".join(any_text(rng) for _ in range(rng.randrange(1, 4)))
    letters = string.ascii_letters + string.digits + "+/"
    return {
        "method": rng.choice(["GET", "POST", "PUT", "DELETE"]),
        "url": rng.choice(["https://", "http://"]) + rng.choice(HOSTS) + any_path(rng) + any_query(rng),
        "headers": any_headers(rng),
        "body": body,
        "access_key_id": "AKIA" + "".join(rng.choice(string.ascii_uppercase) for _ in range(16)),
        "secret_access_key": "".join(rng.choice(letters) for _ in range(40)),
        "session_token": "" if rng.random() < 0.5 else "".join(rng.choice(letters + "=") for _ in range(120)),
        "region": rng.choice(["us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1"]),
        "service": rng.choice(["autoscaling", "ec2", "eks", "sts", "sqs"]),
        "time": rng.randrange(1_000_000_000, 4_000_000_000),
    }


def authorization_by_botocore(case):
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
    request = botocore.awsrequest.AWSRequest(method=case["method"], url=case["url"], data=case["body"].encode())
    for name, value in case["headers"]:
        request.headers.add_header(name, value)
    keys = botocore.credentials.Credentials(case["access_key_id"], case["secret_access_key"],
                                            case["session_token"] or None)
    now = datetime.datetime.fromtimestamp(case["time"], datetime.timezone.utc)
    with mock.patch.object(botocore.auth, "get_current_datetime", lambda: now):
        botocore.auth.SigV4Auth(keys, case["service"], case["region"]).add_auth(request)
    return request.headers["Authorization"]


def compare(signer):
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))
    print(f"seed {seed}")
    rng = random.Random(seed)
    cases = [any_case(rng) for _ in range(REQUESTS)]
    told = subprocess.run([signer], input="\n".join(map(json.dumps, cases)) + "\n", capture_output=True, text=True,
                          check=True).stdout.splitlines()
    assert len(told) == len(cases), f"{len(told)} answers to {len(cases)} requests"
    for case, ours in zip(cases, told):
        theirs = authorization_by_botocore(case)
        assert ours == theirs, f"{json.dumps(case)}\n ours      {ours}\n botocore's {theirs}"
    print(f"{len(cases)} requests are signed as botocore signs them")


def published_cases():
    """Requests of the test suite that AWS published for signature version 4."""
    common = {"headers": [], "body": "", "access_key_id": "AKIDEXAMPLE", "session_token": "", "region": "us-east-1",
              "secret_access_key": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "service": "service",
              "time": 1440938160}
    host = "https://example.amazonaws.com"
    yield {**common, "method": "GET", "url": host + "/"}
    yield {**common, "method": "POST", "url": host + "/"}
    yield {**common, "method": "GET", "url": host + "/?Param1=value2&Param1=Value1"}
    yield {**common, "method": "GET", "url": host + "/?Param2=value2&Param1=value1"}
    yield {**common, "method": "GET", "url": host + "/%E1%88%B4"}
    yield {**common, "method": "GET", "url": host + "/example%20space/"}
    yield {**common, "method": "GET", "url": host + "/example/.."}
    yield {**common, "method": "GET", "url": host + "//example//"}
    yield {**common, "method": "GET", "url": host + "/", "headers": [["My-Header1", "value2"], ["My-Header1", "value1"]]}
    yield {**common, "method": "GET", "url": host + "/", "headers": [["My-Header1", " value1"], ["My-Header2", "\"a   b   c\""]]}
    yield {**common, "method": "POST", "url": host + "/", "body": "Param1=value1",
           "headers": [["Content-Type", "application/x-www-form-urlencoded"]]}
    yield {**common, "method": "GET", "url": "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
           "service": "iam", "headers": [["Content-Type", "application/x-www-form-urlencoded; charset=utf-8"]]}


def write_table():
    rng = random.Random(4)
    cases = [*published_cases(), *(any_case(rng) for _ in range(60))]
    rows = [json.dumps({**case, "authorization": authorization_by_botocore(case)}) for case in cases]
    print("[\n" + ",\n".join(rows) + "\n]")


def main():
    if sys.argv[1:] == ["--table"]:
        return write_table()
    python, signer = sys.argv[1:]
    if os.environ.get("SIGNATURES_BY_BOTOCORE"):
        return compare(signer)
    if not os.path.exists(python) or subprocess.run([python, "-c", "import botocore"], stderr=subprocess.DEVNULL).returncode:
        print(f"skipped: {python} has no botocore; ./dev packages test installs it")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    os.environ["SIGNATURES_BY_BOTOCORE"] = "true"
    os.execv(python, [python, __file__, python, signer])


if __name__ == "__main__":
    main()
