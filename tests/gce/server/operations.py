"""Operations: requested changes, and their results."""

import re
import time
import uuid

from .answers import method
from .cloud import CLOUD, LOCK, letters
from .clock import CLOCK
from .places import link, scope_of
from .refusal import Refusal, invalid, not_found


class Operation:
    def __init__(self, ask, kind, target, target_id, effect):
        self.name = f"operation-{int(CLOCK.now() * 1000)}-{uuid.uuid4().hex[:13]}-{letters(8)}"
        self.project, self.scope = ask.project, ask.scope
        self.path = f"projects/{ask.project}/{ask.scope}/operations/{self.name}"
        self.id, self.kind, self.user = CLOUD.number(), kind, ask.principal
        self.target, self.target_id = target, target_id
        self.request_id = ask.parameters.get("requestId")
        self.inserted, self.ended = CLOCK.moment(), None
        self.due, self.effect = CLOCK.monotonic() + CLOUD.delay("operation"), effect
        self.error, self.warnings, self.http = None, [], None

    @property
    def is_done(self):
        return self.ended is not None

    def fail(self, code, message, status=400, reason="BAD REQUEST"):
        self.error = {"errors": [{"code": code, "message": message}]}
        self.http = (status, reason)

    def step(self, now):
        """Makes the change if it is due."""
        if self.is_done or now < self.due:
            return
        try:
            if self.error is None and self.effect is not None:
                self.effect()
        except Refusal as refusal:
            self.fail(constant_of(refusal.reason), refusal.message, refusal.code, refusal.reason)
        self.ended = CLOCK.moment()

    def row(self, is_new=False):
        is_done = self.is_done and not is_new
        out = {"kind": "compute#operation", "id": self.id, "name": self.name, "operationType": self.kind,
               "targetLink": link(self.target), "status": "DONE" if is_done else "RUNNING", "user": self.user,
               "progress": 100 if is_done else 0, "insertTime": self.inserted, "startTime": self.inserted,
               "selfLink": link(self.path)}
        if self.target_id:
            out["targetId"] = self.target_id
        if self.scope != "global":
            kind = "zone" if self.scope.startswith("zones/") else "region"
            out[kind] = link(f"projects/{self.project}/{self.scope}")
        if self.request_id:
            out["clientOperationId"] = self.request_id
        if is_done:
            out["endTime"] = self.ended
            if self.error is not None:
                out.update(error=self.error, httpErrorStatusCode=self.http[0], httpErrorMessage=self.http[1])
            if self.warnings:
                out["warnings"] = self.warnings
        return out


def constant_of(reason):
    """"CONDITION_NOT_MET" of "conditionNotMet"."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", reason).upper()


class Failures:
    """Operations that a test wants to fail: the next `count` (1) of those whose method matches."""

    def __init__(self):
        self.rules = []

    def find(self, method_id):
        for rule in self.rules:
            if re.fullmatch(rule.get("method", ".*"), method_id) and rule.get("count", 1) > 0:
                rule["count"] = rule.get("count", 1) - 1
                return rule
        return None


FAILURES = Failures()


def repeated(ask):
    """The operation of an earlier request with the same requestId, or None."""
    request_id = ask.parameters.get("requestId")
    if request_id is None:
        return None
    try:
        if uuid.UUID(request_id).int == 0:
            raise ValueError
    except ValueError:
        raise invalid("requestId", request_id, "Must be a valid UUID other than zero.") from None
    return next((each for each in CLOUD.operations.values()
                 if each.request_id == request_id and each.project == ask.project), None)


def start(ask, kind, target, target_id, effect):
    """The answer of a method that changes something. Without a delay the change is made before the
    answer."""
    operation = Operation(ask, kind, target, target_id, effect)
    failure = FAILURES.find(ask.method)
    if failure is not None:
        operation.fail(failure.get("code", "RESOURCE_OPERATION_RATE_EXCEEDED"),
                       failure.get("message", "Operation rate exceeded for resource."),
                       failure.get("status", 400), failure.get("reason", "BAD REQUEST"))
    CLOUD.operations[operation.path] = operation
    operation.step(CLOCK.monotonic())
    return operation.row(is_new=True)


def step_all():
    now = CLOCK.monotonic()
    for operation in list(CLOUD.operations.values()):
        operation.step(now)


def operation_of(ask):
    path = f"projects/{ask.project}/{scope_of(ask.parameters)}/operations/{ask.parameters['operation']}"
    operation = CLOUD.operations.get(path)
    if operation is None:
        raise not_found(path)
    return operation


@method("compute.zoneOperations.get", "compute.regionOperations.get", "compute.globalOperations.get")
def get_operation(ask):
    return operation_of(ask).row()


@method("compute.zoneOperations.wait", "compute.regionOperations.wait", "compute.globalOperations.wait", waits=True)
def wait_for_operation(ask):
    """Waits until the operation is done, for at most `wait_seconds`. Does not keep the lock
    meanwhile."""
    until = time.monotonic() + CLOUD.wait_seconds
    while True:
        with LOCK:
            step_all()
            operation = operation_of(ask)
            if operation.is_done or time.monotonic() >= until:
                return operation.row()
        time.sleep(0.02)


@method("compute.zoneOperations.list", "compute.regionOperations.list", "compute.globalOperations.list")
def list_operations(ask):
    own = [each.row() for each in CLOUD.operations.values() if (each.project, each.scope) == (ask.project, ask.scope)]
    return ask.page("compute#operationList", own)
