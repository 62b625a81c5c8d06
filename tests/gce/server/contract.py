"""The method of a request, and what in the request and its answer does not fit Google's discovery
documents."""

from discovery import check_answer, check_request, find, methods, scopes, split

__all__ = ["check_answer", "check_request", "dotted", "find", "scopes", "split"]


def dotted(method_id):
    """The id of a method as Google's errors name it."""
    return methods()[method_id].id
