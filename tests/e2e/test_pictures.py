"""Every scene in every state and size, as a picture that is compared with a stored one.

    RAILBIRD_PICTURES=write .venv/bin/pytest tests/e2e/test_pictures.py     # then look at them

A sheet has six small pictures, one for each size. They are small so that another release of the
browser, or of a font's hints, changes little; a missing block changes a whole cell.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.plays import STAGE, Play, plays, stage

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession, Page

PICTURES = Path(__file__).parent / "pictures"
WRITE = os.environ.get("RAILBIRD_PICTURES") == "write"

SIZES = ((1366, 768), (1920, 1080), (3840, 2160), (1280, 720), (1080, 1920), (390, 844))
LONG = 160
"""The longer side of a picture on a sheet."""

PLACES = ((0, 0), (160, 0), (0, 90), (160, 90), (320, 0), (410, 0))
SHEET = (490, 180)

MEAN, WORST = 0.012, 0.10
"""How far sheets may be apart, of 1: on the whole, and in the worst of all cells. A patch release
of chromium moves edges by part of a pixel, which is a few hundredths of a cell."""

FITS = """() => {
  const wanted = '.face rb-digits, .face .blinds, .face .ante, .face .value, .face .note, '
    + '.band .title, .under, .row .name, .row .line, .tile .free, .who, .seat';
  const cut = [...document.querySelectorAll(wanted)]
    .filter((node) => node.offsetParent !== null)
    .filter((node) => {
      const box = node.getBoundingClientRect();
      return box.left < -1 || box.top < -1 || box.right > innerWidth + 1
        || box.bottom > innerHeight + 1 || node.scrollWidth > node.clientWidth + 2;
    })
    .map((node) => `${node.className || node.tagName}: ${node.textContent}`);
  for (const mid of document.querySelectorAll('.mid')) {
    const over = mid.scrollHeight - mid.clientHeight;
    if (over > 2) cut.push(`middle: ${over}`);
  }
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) cut.push('scrollbars');
  return cut;
}"""
"""Whatever is cut off, out of the screen, or overlapping in the middle."""


class Studio:
    """A stage, somebody who takes pictures of it, and a judge."""

    def __init__(self, page: Page, camera: CDPSession, judge: Page) -> None:
        self.page, self.camera, self.judge = page, camera, judge

    @classmethod
    async def open(cls, browser: Browser) -> Studio:
        """Set everything up."""
        page = await stage(browser)
        judge = await browser.new_page()
        await judge.add_script_tag(content=(STAGE / "judge.js").read_text("utf-8"))
        return cls(page, await page.context.new_cdp_session(page), judge)

    async def resize(self, width: int, height: int) -> None:
        """Hang up another screen."""
        await self.page.set_viewport_size({"width": width, "height": height})

    async def shot(self, width: int, height: int) -> str:
        """Take a picture, twice as large as on the sheet."""
        scale = 2 * LONG / max(width, height)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
        said = await self.camera.send("Page.captureScreenshot", {"format": "png", "clip": clip})
        return str(said["data"])

    async def sheet(self, shots: list[str]) -> str:
        """Lay the pictures of all sizes out."""
        places = [
            {"x": x, "y": y, "w": w * LONG // max(w, h), "h": h * LONG // max(w, h)}
            for (x, y), (w, h) in zip(PLACES, SIZES, strict=True)
        ]
        made: str = await self.judge.evaluate("all => sheet(...all)", [shots, places, *SHEET])
        return made

    async def apart(self, one: str, other: str) -> dict[str, float]:
        """Say how far two sheets are apart."""
        found: dict[str, float] = await self.judge.evaluate("both => apart(...both)", [one, other])
        return found


def _stored(name: str) -> str:
    return base64.b64encode((PICTURES / f"{name}.png").read_bytes()).decode()


async def test_every_scene_state_and_size(browser: Browser) -> None:
    """Nothing is cut off in any size, and everything looks as it did when it was looked at."""
    studio = await Studio.open(browser)
    faults: list[Any] = []
    studio.page.on("pageerror", lambda error: faults.append(str(error)))
    played = list(plays())
    shots: dict[str, list[str]] = {play.name: [] for play in played}
    for width, height in SIZES:
        await studio.resize(width, height)
        for play in played:
            await studio.page.evaluate("asked => play(asked)", play.asked())
            cut = await studio.page.evaluate(FITS)
            if cut:
                faults.append((play.name, f"{width}x{height}", cut))
            shots[play.name].append(await studio.shot(width, height))
    PICTURES.mkdir(exist_ok=True)
    for name, taken in shots.items():
        made = await studio.sheet(taken)
        if WRITE:
            (PICTURES / f"{name}.png").write_bytes(base64.b64decode(made))
            continue
        off = await studio.apart(made, _stored(name))
        if off["mean"] > MEAN or off["worst"] > WORST:
            faults.append((name, off))
    assert faults == [], "\n".join(map(str, faults))
    assert {path.stem for path in PICTURES.glob("*.png")} == set(shots)


MUTATIONS = {
    "clock-paused": ".band",
    "clock-playing": ".cards",
    "clock-hand-for-hand": ".segments",
    "clock-chip-break": ".chips",
    "table-on-the-clock": ".seat[data-turn='true']",
}
"""What is taken away from which picture, to see that it is missed."""


async def test_a_missing_block_is_seen(browser: Browser) -> None:
    """Without its band, its cards or a seat a picture is another one; a second later it is not."""
    studio = await Studio.open(browser)
    played = {play.name: play for play in plays()}
    for name, gone in MUTATIONS.items():
        whole = await _sheet(studio, played[name])
        less = await _sheet(studio, played[name], gone)
        off = await studio.apart(whole, less)
        assert off["worst"] > WORST, (name, off)
    again = await studio.apart(whole, await _sheet(studio, played[name]))
    assert again["worst"] == 0


async def _sheet(studio: Studio, play: Play, gone: str = "") -> str:
    """Give a sheet that has one size on all places, with something hidden."""
    await studio.page.evaluate("asked => play(asked)", play.asked())
    if gone:
        hide = "all => { for (const each of document.querySelectorAll(all)) each.hidden = true; }"
        await studio.page.evaluate(hide, gone)
    shot = await studio.shot(1920, 1080)
    return await studio.sheet([shot] * len(SIZES))
