"""What EventBridge puts into a queue about machines: spot interruption and rebalance notices."""

import json
import threading
import uuid

from moto.core import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.ec2.models import ec2_backends
from moto.sqs.models import sqs_backends

from .clock import CLOCK

DETAILS = {
    "interrupt": ("EC2 Spot Instance Interruption Warning", {"instance-action": "terminate"}),
    "rebalance": ("EC2 Instance Rebalance Recommendation", {}),
}


def event_of(kind, instance, region):
    name, detail = DETAILS[kind]
    return {
        "version": "0", "id": str(uuid.uuid4()), "detail-type": name, "source": "aws.ec2", "account": ACCOUNT,
        "time": CLOCK.text(), "region": region,
        "resources": [f"arn:aws:ec2:{region}:{ACCOUNT}:instance/{instance}"],
        "detail": {"instance-id": instance, **detail},
    }


def put(queue, text, region):
    sqs_backends[ACCOUNT][region].send_message(queue, text)


def tell(kind, queue, instance, region):
    put(queue, json.dumps(event_of(kind, instance, region)), region)


class Reclaims:
    """Machines that EC2 takes back after their notice."""

    def __init__(self):
        self._lock = threading.Lock()
        self._due = []

    def add(self, instance, region, notice):
        with self._lock:
            self._due.append((CLOCK.monotonic() + notice, instance, region))

    def carry_out(self):
        with self._lock:
            now = CLOCK.monotonic()
            ready = [each for each in self._due if each[0] <= now]
            self._due = [each for each in self._due if each[0] > now]
        for _, instance, region in ready:
            ec2_backends[ACCOUNT][region].terminate_instances([instance])


RECLAIMS = Reclaims()
