"""The venue's own certificate authority: it vouches for one hub, and devices can trust it.

It needs the `cryptography` package, so it is imported only where a certificate is made. The
authority may vouch for names and addresses of private networks only (and for what was asked for
when it was made): whoever steals its key can pretend to be this hub, but not to be a bank.
"""

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from server.addresses import Address, dns_name, own_addresses, own_names
from server.certificates import TlsPlaces
from server.config import BadConfig

AUTHORITY_DAYS = 3_652
"""Ten years: to trust a new one, somebody must take every tablet in hand."""

HUB_DAYS = 397
"""The longest that browsers accept."""

SLACK = timedelta(days=1)
"""Certificates begin a day early: a tablet's clock may be behind ours."""

EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""A machine that thinks it is earlier has no idea what time it is."""

PRIVATE_NAMES = ("localhost", "local", "lan", "internal", "home.arpa")
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
)

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Made:
    """What `railbird tls init` has made."""

    new: bool  # is the authority new, so that devices must be told to trust it?
    fingerprint: str  # of the authority
    ends: datetime  # of the hub's certificate
    names: list[str]
    left_out: list[str]  # own names and addresses that the authority may not vouch for


def init(data: Path, more: Sequence[str] = (), now: datetime | None = None) -> Made:
    """Make a certificate for the hub, and an authority where there is none yet."""
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    if now < EARLIEST:
        raise BadConfig(f"tls: this machine thinks it is {now:%d %B %Y}: set its clock first")
    places = TlsPlaces.of(data)
    asked = _asked(places, more)
    names = list(dict.fromkeys([*own_names(), *(name for name in asked if isinstance(name, str))]))
    given = [name for name in asked if not isinstance(name, str)]
    addresses = list(dict.fromkeys([*own_addresses(), *given]))
    for folder in (data, places.folder):  # one by one: the mode is only for the last of several
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = not places.ca.exists() and not places.ca_key.exists()
    if new:
        _make_authority(places, names, addresses, now)
    ca, key = _authority(places, now)
    for name in asked:
        if not _may_vouch(ca, name):
            raise BadConfig(
                f"tls: {name}: the authority was not made for this name. Move {places.folder} away "
                "and make a new one; every device must then trust the new one"
            )
    wanted: list[str | Address] = [*names, *addresses]
    good = [name for name in wanted if _may_vouch(ca, name)]
    ends = _make_certificate(places, ca, key, good, now)
    lines = "".join(f"{name}\n" for name in asked)
    _write(places.names, lines.encode(), 0o600)
    left_out = [str(name) for name in wanted if name not in good]
    return Made(new, fingerprint(ca), ends, [str(name) for name in good], left_out)


def fingerprint(certificate: x509.Certificate) -> str:
    """Give what devices show of a certificate, for people to compare."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _asked(places: TlsPlaces, more: Sequence[str]) -> list[str | Address]:
    """Read the names that are asked for, now and in earlier years."""
    before = places.names.read_text(encoding="ascii").split() if places.names.exists() else []
    found: list[str | Address] = []
    for text in [*before, *more]:
        try:
            found.append(ipaddress.ip_address(text))
        except ValueError:
            name = dns_name(text)
            if name is None:
                raise BadConfig(f"tls: --name {text}: is no name or address of a machine") from None
            found.append(name)
    return list(dict.fromkeys(found))


# ── the authority ────────────────────────────────────────────────────────────────────────────────


def _make_authority(
    places: TlsPlaces, names: Sequence[str], addresses: Sequence[Address], now: datetime
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _subject(f"Railbird of {_short(names)}")
    networks: list[Network] = [ipaddress.ip_network(text) for text in PRIVATE_NETWORKS]
    networks += [
        ipaddress.ip_network(address)
        for address in addresses
        if not any(address in network for network in networks)
    ]
    permitted: list[x509.GeneralName] = [
        *(x509.DNSName(name) for name in dict.fromkeys([*PRIVATE_NAMES, *names])),
        *(x509.IPAddress(network) for network in networks),
    ]
    begins = now - SLACK
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(authority=True), critical=True)
        .add_extension(x509.NameConstraints(permitted, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(places.ca_key, key)
    _write(places.ca, certificate.public_bytes(serialization.Encoding.PEM), 0o644)


def _authority(
    places: TlsPlaces, now: datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Read the authority that there is; what is wrong with it is told in words."""
    anew = (
        f"Put it back, or move {places.folder} away and make a new one; every device must then "
        "trust the new one"
    )
    for path in (places.ca, places.ca_key):
        if not path.exists():
            raise BadConfig(f"tls: {path} is missing. {anew}")
    try:
        certificate = x509.load_pem_x509_certificate(places.ca.read_bytes())
        certificate.verify_directly_issued_by(certificate)
    except (ValueError, TypeError, InvalidSignature):
        raise BadConfig(f"tls: {places.ca} is damaged. {anew}") from None
    try:
        key = serialization.load_pem_private_key(places.ca_key.read_bytes(), password=None)
    except (ValueError, TypeError):
        raise BadConfig(f"tls: {places.ca_key} is damaged. {anew}") from None
    if (
        not isinstance(key, ec.EllipticCurvePrivateKey)
        or key.public_key() != certificate.public_key()
    ):
        raise BadConfig(f"tls: {places.ca_key} does not belong to {places.ca}. {anew}")
    if certificate.not_valid_after_utc <= now + timedelta(days=1):
        raise BadConfig(
            f"tls: the authority has ended. Move {places.folder} away and make a new one; every "
            "device must then trust the new one"
        )
    return certificate, key


def _may_vouch(ca: x509.Certificate, name: str | Address) -> bool:
    """Say whether the authority's own limits allow a name."""
    try:
        limits = ca.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return True
    for permitted in limits.permitted_subtrees or []:
        if isinstance(permitted, x509.DNSName) and isinstance(name, str):
            if name == permitted.value or name.endswith(f".{permitted.value}"):
                return True
        elif isinstance(permitted, x509.IPAddress) and not isinstance(name, str):
            network = permitted.value
            if isinstance(network, Network) and name in network:
                return True
    return False


# ── the hub's certificate ────────────────────────────────────────────────────────────────────────


def _make_certificate(
    places: TlsPlaces,
    ca: x509.Certificate,
    ca_key: ec.EllipticCurvePrivateKey,
    names: Sequence[str | Address],
    now: datetime,
) -> datetime:
    key = ec.generate_private_key(ec.SECP256R1())
    begins = max(now - SLACK, ca.not_valid_before_utc)
    ends = min(begins + timedelta(days=HUB_DAYS), ca.not_valid_after_utc)
    short = _short([name for name in names if isinstance(name, str)])
    issued = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_subject(f"Railbird hub {short}"))
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(list(map(_general, names))), critical=False)
        .add_extension(issued, critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    _write_key(places.key, key)
    _write(places.certificate, certificate.public_bytes(serialization.Encoding.PEM), 0o644)
    return ends


def _general(name: str | Address) -> x509.GeneralName:
    return x509.DNSName(name) if isinstance(name, str) else x509.IPAddress(name)


def _short(names: Sequence[str]) -> str:
    """Choose the name that people know the machine by; a subject has room for 64 letters."""
    return next((name for name in names if name != "localhost"), "localhost")[:40]


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    form = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    _write(path, key.private_bytes(serialization.Encoding.PEM, form, plain), 0o600)


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write a file whole or not at all; nobody else ever sees a secret in it."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
