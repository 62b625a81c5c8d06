#!/usr/bin/env python3
"""endpoints.py > tests/cases/aws/endpoints.json: prints the endpoints of each service by botocore's rules, as rows
[service, region, fips, dual stack, URL, region of the signature]. At most two regions of each partition, or all with
--all."""
import json
import sys

from botocore.endpoint_provider import EndpointProvider
from botocore.loaders import Loader

loader = Loader()
partitions = loader.load_data("partitions")
rows = []
for service in ("autoscaling", "ec2", "eks", "sts", "iam", "sqs"):
    rules = EndpointProvider(loader.load_service_model(service, "endpoint-rule-set-1"), partitions)
    for partition in partitions["partitions"]:
        regions = [name for name in partition["regions"] if not name.endswith("-global")]
        for region in regions if sys.argv[1:] == ["--all"] else [regions[0], regions[-1]][:len(regions)]:
            for fips in (False, True):
                for dual in (False, True):
                    extra = {"UseGlobalEndpoint": False} if service == "sts" else {}
                    found = rules.resolve_endpoint(Region=region, UseFIPS=fips, UseDualStack=dual, **extra)
                    schemes = found.properties.get("authSchemes") or [{}]
                    rows.append([service, region, fips, dual, found.url, schemes[0].get("signingRegion") or region])
print("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]")
