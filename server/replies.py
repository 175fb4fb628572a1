"""Replies of the HTTP API: JSON, refusals with a code and words, and how both are described."""

import asyncio
from typing import Any

from aiohttp import web

from server.protocol import messages as m

KINDS = {
    400: web.HTTPBadRequest,
    401: web.HTTPUnauthorized,
    403: web.HTTPForbidden,
    408: web.HTTPRequestTimeout,
    415: web.HTTPUnsupportedMediaType,
    422: web.HTTPUnprocessableEntity,
    429: web.HTTPTooManyRequests,
    503: web.HTTPServiceUnavailable,
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


async def body_of(request: web.Request, within: float) -> bytes:
    """Read what a request brings; who is too slow or breaks off is refused."""
    try:
        async with asyncio.timeout(within):
            return await request.read()
    except TimeoutError:
        raise refusal(408, "too_slow", "The request did not come in time.") from None
    except (ConnectionError, web.RequestPayloadError):
        raise refusal(400, "bad_message", "The request broke off.") from None


def described(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Describe an answer for people who write programs."""
    return {"description": text, "content": {"application/json": {"schema": schema}}}
