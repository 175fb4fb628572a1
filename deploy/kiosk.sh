#!/bin/sh
# A wall screen that starts by itself: a browser on the whole screen, and nothing else.
#
#     kiosk.sh https://railbird.local:8080/wall
#
# Whatever ends the browser, it comes back. Its folder keeps who this screen is, so that a power cut
# does not make it a stranger to the hub.
set -eu

WALL="${1:-https://railbird.local:8080/wall}"
KEPT="${XDG_DATA_HOME:-$HOME/.local/share}/railbird-wall"

# On Debian and Raspberry Pi OS it is one or the other.
BROWSER="${BROWSER:-$(command -v chromium || command -v chromium-browser || true)}"
[ -n "$BROWSER" ] || { echo "kiosk.sh: install chromium first (sudo apt install chromium)" >&2; exit 1; }

mkdir -p "$KEPT"

# Old X sessions blank the screen after ten minutes; there is nobody here to touch it.
if [ -n "${DISPLAY:-}" ] && command -v xset >/dev/null; then
    xset s off -dpms s noblank || true
fi

while :; do
    # A browser that was cut off by the power asks whether to restore its pages: it must not.
    sed -i 's/"exited_cleanly":false/"exited_cleanly":true/; s/"exit_type":"[^"]*"/"exit_type":"Normal"/' \
        "$KEPT/Default/Preferences" 2>/dev/null || true
    "$BROWSER" --kiosk --user-data-dir="$KEPT" --no-first-run --noerrdialogs --disable-infobars \
        --disable-session-crashed-bubble --disable-features=Translate --disable-pinch \
        --overscroll-history-navigation=0 --check-for-update-interval=31536000 \
        --password-store=basic --autoplay-policy=no-user-gesture-required "$WALL" || true
    sleep 2
done
