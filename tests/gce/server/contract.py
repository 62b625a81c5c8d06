"""Which method a request is for, and what of it is not as Google's discovery documents say."""

from discovery import check_answer, check_request, find, methods, scopes, split

__all__ = ["check_answer", "check_request", "dotted", "find", "scopes", "split"]


def dotted(method_id):
    """As Google's errors call a method."""
    return methods()[method_id].id
