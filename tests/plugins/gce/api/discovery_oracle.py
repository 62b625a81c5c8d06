#!/usr/bin/env python3
"""Checks requests against Google's discovery documents, and reads responses that libcloud recorded.

    discovery_oracle.py PYTHON EXCHANGES

PYTHON is the interpreter that has google-api-python-client and apache-libcloud. If it does not exist, the exit status
is 77, or 1 with CI=true. EXCHANGES (exchanges.cpp) prints its requests, and what it reads in a document.
"""

import glob
import json
import os
import subprocess
import sys
import urllib.parse


def run_again(python, exchanges):
    if os.path.realpath(sys.executable) == os.path.realpath(python) and sys.prefix != sys.base_prefix:
        return
    if os.path.exists(python):
        os.execv(python, [python, __file__, python, exchanges])
    print(f"{python} is not there: ./dev packages test makes it")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def check_requests(discovery, exchanges):
    out = subprocess.run([exchanges], capture_output=True, text=True, check=True).stdout
    seen, wrong = set(), []
    for line in out.splitlines():
        request = json.loads(line)
        url = urllib.parse.urlsplit(request["url"])
        found = discovery.find(request["method"], urllib.parse.unquote(url.path))
        if found is None:
            wrong.append(f"there is no route {request['method']} {url.path}")
            continue
        method, in_path = found
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        body = json.loads(request["body"]) if request["body"] else None
        wrong += [f"{method}: {text}" for text in discovery.check_request(method, in_path, query, body)]
        seen.add(method)
    print(f"{len(seen)} methods are asked for as their documents say")
    return wrong, seen


# libcloud's recorded responses: their kinds, and patterns of their file names. Its listManagedInstances has entries
# without an instance.
RECORDED = {"template": ["global_instanceTemplates_my_instance_template1.json"],
            "group": ["zones_us-central1-a_instanceGroupManagers_myinstancegroup.json"],
            "aggregated": ["aggregated_instanceGroupManagers.json"],
            "operation": ["operations_operation_global_instanceTemplates_insert.json",
                          "zones_us-central1-a_instanceGroupManagers_insert.json"],
            "machine_type": ["zones_us-central1-a_machineTypes_*.json"],
            "image": ["*_global_images_debian*.json", "global_images_*_v*.json"],
            "instances": ["zones_us-central1-a_instances.json"],
            "managed_instances": ["_zones_us_central1_a_instanceGroupManagers_myinstancegroup_listManagedInstances.json"]}


def check_recorded(exchanges):
    import libcloud
    folder = os.path.join(os.path.dirname(libcloud.__file__), "test", "compute", "fixtures", "gce")
    wrong, count = [], 0
    for kind, patterns in RECORDED.items():
        files = sorted(file for pattern in patterns for file in glob.glob(os.path.join(folder, pattern)))
        if not files:
            wrong.append(f"libcloud has no recorded {kind}")
        for file in files:
            said = subprocess.run([exchanges, kind, file], capture_output=True, text=True, check=True).stdout
            answer = json.loads(said)
            count += 1
            if "error" in answer or answer["count"] == 0:
                wrong.append(f"{os.path.basename(file)} as {kind}: {said.strip()}")
    print(f"{count} recorded answers are read")
    return wrong


def main(python, exchanges):
    run_again(python, exchanges)
    sys.path.insert(0, os.path.join(os.getcwd(), "tests", "gce"))
    import discovery
    wrong, seen = check_requests(discovery, exchanges)
    if len(seen) < 30:
        wrong.append(f"only {len(seen)} methods were asked for: {sorted(seen)}")
    wrong += check_recorded(exchanges)
    for text in wrong:
        print(text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
