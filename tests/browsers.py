"""A real browser, for what people see: Debian's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import async_playwright, expect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser

CHROMIUM = shutil.which("chromium")
PATIENCE = 20_000
"""Milliseconds that a page may take where nothing is measured: machines are slow and shared."""


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """Give a browser, where there is one."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as driver:
        found = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        await found.close()
