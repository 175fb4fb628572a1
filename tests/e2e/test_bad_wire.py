"""The wire that tests put before a page: however late its messages are, they keep their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.plays import STAGE

if TYPE_CHECKING:
    from playwright.async_api import Browser

ROUNDS = 20

SENT = """async (rounds) => {
  wire.jitter = 40;
  const real = Object.getPrototypeOf(WebSocket.prototype); // of sockets that are as open as need be
  Object.defineProperty(real, "readyState", { get: () => WebSocket.OPEN });
  const found = [];
  for (let round = 0; round < rounds; round += 1) {
    const socket = new WebSocket("ws://127.0.0.1:1/");
    const all = new Promise((done) => {
      const came = [];
      real.send = (data) => { if (came.push(data) === 6) done(came); };
    });
    for (let number = 0; number < 6; number += 1) {
      socket.send(number);
      const sent = performance.now();
      while (performance.now() < sent + 0.3); // timers that end at once differ in parts of a ms
    }
    found.push((await all).join(""));
  }
  return found;
}"""


async def test_messages_come_in_their_order(browser: Browser) -> None:
    """As on any real wire: a hub that hears of topics before a hello does not send them."""
    page = await browser.new_page()
    await page.add_init_script(path=STAGE / "wire.js")
    await page.goto("data:text/html,<p>a page</p>")
    assert await page.evaluate(SENT, ROUNDS) == ["012345"] * ROUNDS
    await page.close()
