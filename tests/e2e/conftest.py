"""A real browser, for what people see: Debian's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import async_playwright

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser

CHROMIUM = shutil.which("chromium")


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Give a browser that was started for this test."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    async with async_playwright() as driver:
        found = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        await found.close()
