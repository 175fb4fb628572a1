"""Certificates as the hub uses them: which one to serve with, and whom to trust.

`server.authority` makes them. This module needs nothing but the standard library and aiohttp, so
that a hub starts, with certificates that were made before, on a machine that cannot make any.
"""

import ipaddress
import re
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiohttp import web

from server import modes
from server.addresses import own_addresses
from server.config import BadConfig, Config, Places, Tls

SOON = timedelta(days=30)
"""So long before the end of a certificate it is time to make a new one."""

AGAIN = "railbird tls init makes a new certificate"
URL = "/railbird-ca.crt"
_VALIDITY = re.compile(rb"\x30\x1e\x17\x0d\d{12}Z\x17\x0d(\d{12})Z")
"""From when and until when, as every certificate has it whose dates are before 2050."""


@dataclass(frozen=True, slots=True)
class TlsPlaces:
    """Where the files lie that `railbird tls init` makes."""

    folder: Path

    @classmethod
    def of(cls, data: Path) -> "TlsPlaces":
        """Find them in a hub's data folder."""
        return cls(data / "tls")

    @property
    def ca(self) -> Path:
        """The authority's certificate: what devices are to trust. No secret."""
        return self.folder / "ca.crt"

    @property
    def ca_key(self) -> Path:
        """The authority's key: whoever has it can pretend to be this hub."""
        return self.folder / "ca.key"

    @property
    def certificate(self) -> Path:
        """The hub's certificate."""
        return self.folder / "hub.crt"

    @property
    def key(self) -> Path:
        """The hub's key."""
        return self.folder / "hub.key"

    @property
    def names(self) -> Path:
        """The names that were asked for with `--name`, so that a renewal keeps them."""
        return self.folder / "names"


def found(config: Config) -> Tls | None:
    """Say which certificate to serve with: the given one, or the one in the data folder."""
    if config.tls is not None:
        return config.tls
    places = TlsPlaces.of(Path(config.data))
    if config.plain or not places.folder.is_dir():
        return None
    for path in (places.certificate, places.key):
        if not path.exists():
            raise BadConfig(f"tls: {path} is missing; {AGAIN}, --plain serves without one")
    return Tls(str(places.certificate), str(places.key))


def more_names(config: Config) -> list[str]:
    """List the names that the certificate was made for beside the machine's own."""
    with suppress(OSError, UnicodeError):
        return TlsPlaces.of(Path(config.data)).names.read_text(encoding="ascii").split()
    return []


CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""For TLS 1.2: who records the room's traffic and later gets the key reads nothing, and every
message is sealed as a whole (no CBC). TLS 1.3 has nothing else, and every browser has had these for
ten years."""


# ── serving ──────────────────────────────────────────────────────────────────────────────────────


def context(tls: Tls | None) -> ssl.SSLContext | None:
    """Read the certificate and its key; what is wrong with them is told in words."""
    if tls is None:
        return None
    for path, what in ((tls.certificate, "CERTIFICATE"), (tls.key, "PRIVATE KEY")):
        _must_be(Path(path), what)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.set_ciphers(CIPHERS)
    try:
        # Without a password OpenSSL would ask on the terminal, and a service would wait for ever.
        made.load_cert_chain(tls.certificate, tls.key, password=b"")
    except ssl.SSLError as error:
        raise BadConfig(_why(tls, error)) from None
    except (OSError, ValueError) as error:
        raise BadConfig(f"tls: {tls.certificate}: {error}") from None
    return made


def _must_be(path: Path, what: str) -> None:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadConfig(f"tls: {path}: {error.strerror or error}") from None
    if f"{what}-----".encode() not in text:
        raise BadConfig(f"tls: {path}: there is no {what.lower()} in this file")
    if what == "PRIVATE KEY" and b"ENCRYPTED" in text:
        raise BadConfig(f"tls: {path}: the key has a password; the hub needs one without")


def _why(tls: Tls, error: ssl.SSLError) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"tls: {tls.key}: this key does not belong to {tls.certificate}"
    if _first_certificate(Path(tls.certificate)) is None:
        return f"tls: {tls.certificate}: the certificate in this file is damaged"
    return f"tls: {tls.key} or {tls.certificate} cannot be used, one is damaged ({error.reason})"


def warnings(tls: Tls | None, now: datetime | None = None) -> list[str]:
    """Say what the director should know about the certificate before the room finds out."""
    der = None if tls is None else _first_certificate(Path(tls.certificate))
    if tls is None or der is None:
        return []
    told, now = [], now or datetime.now(UTC)
    ends = _ends(der)
    if ends is not None and ends <= now:
        told.append(f"The certificate has ended on {ends:%d %B %Y}: {AGAIN}.")
    elif ends is not None and ends - SOON <= now:
        told.append(f"The certificate ends on {ends:%d %B %Y}: {AGAIN}.")
    if Path(tls.certificate).with_name("ca.crt").exists():  # of others' we cannot know
        new = [str(ip) for ip in own_addresses() if _is_ours(ip) and not _covers(der, ip)]
        if new:
            told.append(f"The certificate is not for {', '.join(new)}: {AGAIN}.")
    with suppress(OSError):
        if Path(tls.key).stat().st_mode & 0o007:
            told.append(f"Everybody on this machine can read {tls.key}: chmod 600 {tls.key}")
    return told


def _first_certificate(path: Path) -> bytes | None:
    """Give the hub's own certificate of a file that may hold a chain."""
    end = "-----END CERTIFICATE-----"
    with suppress(OSError, ValueError):
        text = path.read_text(encoding="ascii")
        start = text.index("-----BEGIN CERTIFICATE-----")
        der = ssl.PEM_cert_to_DER_cert(text[start : text.index(end, start) + len(end)])
        ssl.create_default_context(cadata=der)  # refuses what is no certificate
        return der
    return None


def _ends(der: bytes) -> datetime | None:
    dates = _VALIDITY.search(der)
    if dates is None:
        return None
    return datetime.strptime(dates[1].decode(), "%y%m%d%H%M%S").replace(tzinfo=UTC)


def _is_ours(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Say whether people dial an address: IPv6 ones change by themselves, and nobody types them."""
    return ip.version == 4  # noqa: PLR2004 - the version


def _covers(der: bytes, ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Say whether a certificate names an address: its tag, its length and its bytes are in it."""
    return bytes([0x87, len(ip.packed)]) + ip.packed in der


# ── trusting ─────────────────────────────────────────────────────────────────────────────────────


def trust(data: Path) -> ssl.SSLContext:
    """Make what a program on the hub's own machine trusts: the hub of this data folder."""
    made = ssl.create_default_context()
    in_use = _first_certificate(Places(data).folder / IN_USE)
    if in_use is not None:
        # A given certificate is for the name that the room uses, and we come by the machine's own
        # address. The hub left it in its data folder: no other certificate is as good.
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
        made.check_hostname = False
        made.load_verify_locations(cadata=in_use)
        return made
    authority = TlsPlaces.of(data).ca
    if authority.exists():
        try:
            made.load_verify_locations(cafile=authority)
        except (OSError, ssl.SSLError):
            raise BadConfig(f"tls: {authority}: the certificate in this file is damaged") from None
    return made


IN_USE = "serving.crt"


def leave(config: Config) -> None:
    """Leave a given certificate where programs on this machine find it; forget an older one."""
    place = Path(config.data) / IN_USE
    der = None if config.tls is None else _first_certificate(Path(config.tls.certificate))
    if der is None:
        place.unlink(missing_ok=True)
    else:
        modes.make(place)
        place.write_text(ssl.DER_cert_to_PEM_cert(der), encoding="ascii")


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def handler(data: Path) -> Handler:
    """Make the handler that gives the authority's certificate to whoever wants to trust it."""
    try:
        body = TlsPlaces.of(data).ca.read_bytes()  # now: nothing is read while the room is served
    except OSError:
        body = b""

    async def authority(_request: web.Request) -> web.Response:
        if not body:
            return web.Response(status=404, text="This hub has no authority of its own.")
        # No attachment: an iPad takes it for a profile to install only if it is shown.
        return web.Response(body=body, content_type="application/x-x509-ca-cert")

    return authority
