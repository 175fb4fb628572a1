"""Replies of the HTTP API: JSON, refusals with a code and words, and how both are described."""

from typing import Any

from aiohttp import web

from server.protocol import messages as m

KINDS = {
    400: web.HTTPBadRequest,
    401: web.HTTPUnauthorized,
    403: web.HTTPForbidden,
    408: web.HTTPRequestTimeout,
    422: web.HTTPUnprocessableEntity,
    429: web.HTTPTooManyRequests,
}
"""What is not here has not been found."""


def answer_json(body: Any, status: int = 200) -> web.Response:
    """Answer with JSON."""
    return web.Response(body=m.encode(body), status=status, content_type="application/json")


def refusal(status: int, code: str, text: str) -> web.HTTPException:
    """Make the refusal of a request, with a code for programs and words for people."""
    made = KINDS.get(status, web.HTTPNotFound)
    body = m.encode(m.Problem(code, text)).decode()
    return made(text=body, content_type="application/json")


def described(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Describe an answer for people who write programs."""
    return {"description": text, "content": {"application/json": {"schema": schema}}}
