"""Gives every test here a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browsers import launched

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Give a browser that was started for this test."""
    async with launched() as found:
        yield found
