"""TLS: the venue's own authority, its certificate, and a hub that serves with it."""

from __future__ import annotations

import asyncio
import builtins
import ipaddress
import json
import ssl
import stat
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp.test_utils import make_mocked_request
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID
from websockets.asyncio.client import connect

from server import authority, certificates
from server.addresses import dns_name, own_addresses, own_names
from server.certificates import TlsPlaces
from server.cli import main
from server.config import BadConfig, Config, Tls
from server.remote import NotDone, Remote
from server.serve import served
from tests.served import PATIENCE, Process, railbird, railbird_here

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.authority import Made

NOW = datetime(2026, 11, 18, 19, 0, tzinfo=UTC)
NAMES = ["hub.casino.example", "203.0.113.7"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Made]:
    """Make an authority and a certificate; the tests only look at them."""
    data = tmp_path_factory.mktemp("tls") / "data"
    return data, authority.init(data, NAMES, NOW)


def certificate(path: Path) -> x509.Certificate:
    """Read a certificate."""
    return x509.load_pem_x509_certificate(path.read_bytes())


def extension(found: x509.Certificate, kind: type[x509.ExtensionType]) -> tuple[Any, bool]:
    """Give an extension, and whether it is critical."""
    extension = found.extensions.get_extension_for_class(kind)
    return extension.value, extension.critical


def own(data: Path) -> Tls:
    """Name the certificate in a data folder."""
    places = TlsPlaces.of(data)
    return Tls(str(places.certificate), str(places.key))


# ── what is in them ──────────────────────────────────────────────────────────────────────────────


def test_the_certificate_names_everything_that_the_hub_is_called(made: tuple[Path, Made]) -> None:
    """Localhost, the machine's names, all of its addresses, and what was asked for."""
    found = certificate(TlsPlaces.of(made[0]).certificate)
    names, _ = extension(found, x509.SubjectAlternativeName)
    assert set(names.get_values_for_type(x509.DNSName)) == {*own_names(), NAMES[0]}
    addresses = {*own_addresses(), ipaddress.ip_address(NAMES[1])}
    assert set(names.get_values_for_type(x509.IPAddress)) == addresses
    assert {"127.0.0.1", "::1"} <= {str(address) for address in addresses}
    assert made[1].names == [*own_names(), NAMES[0], *map(str, own_addresses()), NAMES[1]]


def test_the_certificate_is_what_browsers_accept(made: tuple[Path, Made]) -> None:
    """At most 397 days, for servers only, and not an authority itself."""
    found = certificate(TlsPlaces.of(made[0]).certificate)
    assert found.not_valid_after_utc - found.not_valid_before_utc <= timedelta(days=397)
    assert found.not_valid_before_utc < NOW < found.not_valid_after_utc == made[1].ends
    assert extension(found, x509.BasicConstraints)[0].ca is False
    usage, critical = extension(found, x509.KeyUsage)
    assert critical
    assert usage.digital_signature
    assert not usage.key_cert_sign
    assert list(extension(found, x509.ExtendedKeyUsage)[0]) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert isinstance(found.public_key(), ec.EllipticCurvePublicKey)
    found.verify_directly_issued_by(certificate(TlsPlaces.of(made[0]).ca))


def test_the_authority_can_vouch_for_this_room_only(made: tuple[Path, Made]) -> None:
    """Ten years, no authority below it, and only private names and addresses."""
    found = certificate(TlsPlaces.of(made[0]).ca)
    years = (found.not_valid_after_utc - found.not_valid_before_utc).days / 365.25
    assert 9.9 < years < 10.1
    basic, critical = extension(found, x509.BasicConstraints)
    assert (basic.ca, basic.path_length, critical) == (True, 0, True)
    usage, critical = extension(found, x509.KeyUsage)
    assert (usage.key_cert_sign, usage.digital_signature, critical) == (True, False, True)
    limits, critical = extension(found, x509.NameConstraints)
    assert critical
    permitted = {str(name.value) for name in limits.permitted_subtrees}
    assert {"localhost", "local", NAMES[0], "192.168.0.0/16", "203.0.113.7/32"} <= permitted
    assert "0.0.0.0/0" not in permitted


def test_secrets_are_for_the_hubs_own_user(made: tuple[Path, Made]) -> None:
    """Keys and their folder are closed to others, from the first byte."""
    places = TlsPlaces.of(made[0])
    for path in (places.ca_key, places.key):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (made[0], places.folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not list(places.folder.glob("*.part"))


# ── again ────────────────────────────────────────────────────────────────────────────────────────


def test_a_renewal_keeps_the_authority_and_the_names(tmp_path: Path) -> None:
    """A year later the same command makes a new certificate that the same devices trust."""
    first = authority.init(tmp_path, NAMES, NOW)
    places = TlsPlaces.of(tmp_path)
    ca, old = places.ca.read_bytes(), certificate(places.certificate)
    second = authority.init(tmp_path, [], NOW + timedelta(days=390))
    assert (first.new, second.new) == (True, False)
    assert places.ca.read_bytes() == ca
    assert second.fingerprint == first.fingerprint
    assert second.names == first.names
    assert second.ends == first.ends + timedelta(days=390)
    assert certificate(places.certificate).serial_number != old.serial_number


def test_no_certificate_outlives_its_authority(tmp_path: Path) -> None:
    """In its last year the certificate is shorter, and after it there is none."""
    authority.init(tmp_path, [], NOW)
    ends = certificate(TlsPlaces.of(tmp_path).ca).not_valid_after_utc
    assert authority.init(tmp_path, [], NOW + timedelta(days=3_500)).ends == ends
    with pytest.raises(BadConfig, match="the authority has ended"):
        authority.init(tmp_path, [], NOW + timedelta(days=3_652))


def test_own_names_that_the_authority_may_not_vouch_for_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new public address is told; the certificate is good for all others."""
    authority.init(tmp_path, [], NOW)
    new = [*own_addresses(), ipaddress.ip_address("198.51.100.9")]
    monkeypatch.setattr(authority, "own_addresses", lambda: new)
    again = authority.init(tmp_path, [], NOW)
    assert again.left_out == ["198.51.100.9"]
    assert "127.0.0.1" in again.names


@pytest.mark.parametrize("name", ["a b", "x-.example", "x..example", "*.example", "é" * 80, ""])
def test_a_name_that_is_none_is_refused(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is made for what nobody can type."""
    assert main(["tls", "init", "--data", str(tmp_path), "--name", name]) == 2
    assert "is no name or address of a machine" in capsys.readouterr().err
    assert not TlsPlaces.of(tmp_path).ca.exists()


def test_names_of_other_alphabets_are_written_as_browsers_do() -> None:
    """A certificate is in ASCII."""
    assert dns_name("Bühne.Example.") == "xn--bhne-0ra.example"


def test_a_name_that_the_authority_was_not_made_for_is_refused(tmp_path: Path) -> None:
    """It says what to do, and the certificate that works stays."""
    authority.init(tmp_path, [], NOW)
    before = TlsPlaces.of(tmp_path).certificate.read_bytes()
    with pytest.raises(BadConfig, match=r"bank\.example: the authority was not made for this name"):
        authority.init(tmp_path, ["bank.example"], NOW)
    assert TlsPlaces.of(tmp_path).certificate.read_bytes() == before
    assert not any("bank" in name for name in authority.init(tmp_path, [], NOW).names)


def test_a_machine_without_a_clock_makes_no_certificate(tmp_path: Path) -> None:
    """A Pi that thinks it is 1970 is told to set its clock."""
    with pytest.raises(BadConfig, match="thinks it is 01 January 1970: set its clock first"):
        authority.init(tmp_path, [], datetime(1970, 1, 1, tzinfo=UTC))
    assert not TlsPlaces.of(tmp_path).folder.exists()


def test_a_missing_package_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever lacks the package reads what to install."""
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == "server" and "authority" in (args[2] or ()):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["tls", "init", "--data", str(tmp_path)]) == 2
    assert "pip install 'railbird[tls]'" in capsys.readouterr().err


# ── damaged, missing, swapped ────────────────────────────────────────────────────────────────────


def cut(path: Path) -> None:
    """Leave half of a file."""
    path.write_bytes(path.read_bytes()[:120])


def garbled(path: Path) -> None:
    """Change what is inside, and leave the frame."""
    lines = path.read_text("ascii").splitlines()
    lines[1] = lines[1][::-1]
    path.write_text("\n".join(lines), "ascii")


def other_key(path: Path) -> None:
    """Put somebody else's key there."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path.write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))


def with_password(path: Path) -> None:
    """Lock a key."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path.write_bytes(key.private_bytes(pem, form, serialization.BestAvailableEncryption(b"x")))


@pytest.mark.parametrize(
    ("file", "harm", "told"),
    [
        ("ca.key", Path.unlink, "ca.key is missing"),
        ("ca.crt", Path.unlink, "ca.crt is missing"),
        ("ca.crt", garbled, "ca.crt is damaged"),
        ("ca.crt", cut, "ca.crt is damaged"),
        ("ca.key", garbled, "ca.key is damaged"),
        ("ca.key", other_key, "ca.key does not belong to"),
        ("ca.key", with_password, "ca.key is damaged"),
    ],
)
def test_a_spoilt_authority_is_told_in_words(
    tmp_path: Path, file: str, harm: Callable[[Path], None], told: str
) -> None:
    """It is never replaced in silence: every device would have to trust a new one."""
    authority.init(tmp_path, [], NOW)
    folder = TlsPlaces.of(tmp_path).folder
    harm(folder / file)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BadConfig, match=told):
        authority.init(tmp_path, [], NOW)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("file", "harm", "told"),
    [
        ("hub.key", Path.unlink, r"hub\.key: No such file"),
        ("hub.crt", Path.unlink, r"hub\.crt: No such file"),
        ("hub.crt", garbled, r"hub\.crt: the certificate in this file is damaged"),
        ("hub.crt", cut, r"hub\.crt: the certificate in this file is damaged"),
        ("hub.key", garbled, r"hub\.key or .* cannot be used"),
        ("hub.key", other_key, r"hub\.key: this key does not belong to .*hub\.crt"),
        ("hub.key", with_password, r"hub\.key: the key has a password"),
        ("hub.key", lambda path: path.write_text("hello"), r"hub\.key: there is no private key"),
        ("hub.crt", lambda path: path.write_text(""), r"hub\.crt: there is no certificate"),
        ("hub.key", lambda path: path.unlink() or path.mkdir(), r"hub\.key: Is a directory"),
    ],
)
def test_a_spoilt_certificate_is_told_in_words(
    tmp_path: Path, file: str, harm: Callable[[Path], None], told: str
) -> None:
    """A hub that cannot serve says which file is wrong, and asks nobody for a password."""
    authority.init(tmp_path, [], NOW)
    harm(TlsPlaces.of(tmp_path).folder / file)
    with pytest.raises(BadConfig, match=told):
        certificates.context(own(tmp_path))


# ── which one is used ────────────────────────────────────────────────────────────────────────────


def test_the_hub_finds_its_certificate(made: tuple[Path, Made], tmp_path: Path) -> None:
    """A given one wins, then the one in the data folder; plain is plain."""
    given = Tls("a.crt", "a.key")
    data = str(made[0])
    assert certificates.found(Config(data=data)) == own(made[0])
    assert certificates.found(Config(data=data, tls=given)) == given
    assert certificates.found(Config(data=data, plain=True)) is None
    assert certificates.found(Config(data=str(tmp_path))) is None
    assert certificates.context(None) is None


@pytest.mark.parametrize("file", ["hub.crt", "hub.key"])
def test_half_a_certificate_never_means_plain_http(tmp_path: Path, file: str) -> None:
    """Somebody wanted https: a missing file must not undo that."""
    authority.init(tmp_path, [], NOW)
    (TlsPlaces.of(tmp_path).folder / file).unlink()
    with pytest.raises(BadConfig, match=f"{file} is missing; railbird tls init"):
        certificates.found(Config(data=str(tmp_path)))


def test_the_names_asked_for_are_known(made: tuple[Path, Made], tmp_path: Path) -> None:
    """The gate can let in who calls the hub by them."""
    assert certificates.more_names(Config(data=str(made[0]))) == NAMES
    assert certificates.more_names(Config(data=str(tmp_path))) == []


def test_the_director_is_warned_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the certificate ends, when it has, when the address is new, when a key is open."""
    authority.init(tmp_path, [], NOW)
    tls = own(tmp_path)
    assert certificates.warnings(None) == []
    assert certificates.warnings(tls, NOW) == []
    (soon,) = certificates.warnings(tls, NOW + timedelta(days=380))
    assert soon.startswith("The certificate ends on 19 December 2027")
    (late,) = certificates.warnings(tls, NOW + timedelta(days=400))
    assert late.startswith("The certificate has ended on 19 December 2027")
    new = [*own_addresses(), ipaddress.ip_address("192.168.7.7")]
    monkeypatch.setattr(certificates, "own_addresses", lambda: new)
    (moved,) = certificates.warnings(tls, NOW)
    assert moved.startswith("The certificate is not for 192.168.7.7")
    monkeypatch.setattr(certificates, "own_addresses", own_addresses)
    Path(tls.key).chmod(0o644)
    (opened,) = certificates.warnings(tls, NOW)
    assert opened.startswith("Everybody on this machine can read")


# ── a hub that serves with it ────────────────────────────────────────────────────────────────────


def serving(data: Path, **more: Any) -> Config:
    """Configure a hub with the certificate in its data folder."""
    config = Config(data=str(data), port=0, presets=str(data / "presets"), **more)
    return Config(**{**{f: getattr(config, f) for f in config.__struct_fields__}, "tls": own(data)})


async def test_a_hub_speaks_to_who_trusts_its_authority(tmp_path: Path) -> None:
    """A websocket over TLS, by the hub's address and by its name; strangers are not believed."""
    authority.init(tmp_path)
    trusting = ssl.create_default_context(cafile=TlsPlaces.of(tmp_path).ca)
    async with asyncio.timeout(PATIENCE), served(serving(tmp_path)) as hub:
        assert hub.local.startswith("https://127.0.0.1:")
        port = hub.local.rpartition(":")[2]
        for host in ("127.0.0.1", "localhost"):
            url = f"wss://{host}:{port}/ws"
            async with connect(url, ssl=trusting, proxy=None, compression=None) as socket:
                await socket.send(json.dumps({"type": "hello", "version": 1}))
                assert json.loads(await socket.recv())["type"] == "welcome"
                assert socket.transport.get_extra_info("ssl_object").version() == "TLSv1.3"
        with pytest.raises(ssl.SSLCertVerificationError):
            await connect(f"wss://127.0.0.1:{port}/ws", proxy=None, open_timeout=5)
        old = ssl.create_default_context(cafile=TlsPlaces.of(tmp_path).ca)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        async with connect(f"wss://localhost:{port}/ws", ssl=old, proxy=None):
            pass


async def test_the_machine_itself_trusts_its_hub(tmp_path: Path) -> None:
    """`railbird do` and `show` need no setting, also after a renewal."""
    authority.init(tmp_path)
    async with asyncio.timeout(PATIENCE), served(serving(tmp_path)):
        remote = Remote(tmp_path)
        answer = await asyncio.to_thread(remote.do, "event.create", "", {"preset": "selkirk-main"})
        assert "id" in answer
        authority.init(tmp_path)
        shown = await asyncio.to_thread(remote.document, "events")
        assert len(shown["doc"]["events"]) == 1


async def test_no_token_goes_to_a_stranger(tmp_path: Path) -> None:
    """A hub with another authority's certificate is not talked to, and that is said."""
    authority.init(tmp_path / "a")
    authority.init(tmp_path / "b")
    config = serving(tmp_path / "a")
    tls = own(tmp_path / "b")
    fields = {f: getattr(config, f) for f in config.__struct_fields__}
    async with asyncio.timeout(PATIENCE), served(Config(**{**fields, "tls": tls})):
        (tmp_path / "a" / certificates.IN_USE).unlink(missing_ok=True)
        with pytest.raises(NotDone, match="is not trusted"):
            await asyncio.to_thread(Remote(tmp_path / "a").document, "events")


async def test_a_given_certificate_is_trusted_by_what_the_hub_left(tmp_path: Path) -> None:
    """A certificate for another name works on the hub's own machine, and no other does."""
    authority.init(tmp_path / "it", ["hub.casino.example"])
    (tmp_path / "hub").mkdir()
    given = own(tmp_path / "it")
    config = Config(data=str(tmp_path / "hub"), port=0, tls=given)
    certificates.leave(config)
    async with asyncio.timeout(PATIENCE), served(config):
        shown = await asyncio.to_thread(Remote(tmp_path / "hub").document, "events")
        assert shown["doc"]["events"] == []
    authority.init(tmp_path / "it")  # another certificate of the same authority is not that one
    (tmp_path / "kept").mkdir()
    keep = tmp_path / "kept" / certificates.IN_USE
    keep.write_bytes((tmp_path / "hub" / certificates.IN_USE).read_bytes())
    async with asyncio.timeout(PATIENCE), served(config):
        keep.replace(tmp_path / "hub" / certificates.IN_USE)
        with pytest.raises(NotDone, match="is not trusted"):
            await asyncio.to_thread(Remote(tmp_path / "hub").document, "events")
    certificates.leave(Config(data=str(tmp_path / "hub")))
    assert not (tmp_path / "hub" / certificates.IN_USE).exists()


async def test_the_authority_can_be_fetched(made: tuple[Path, Made], tmp_path: Path) -> None:
    """The certificate, and never a key; who has none says so."""
    request = make_mocked_request("GET", certificates.URL)
    answer: Any = await certificates.handler(made[0])(request)
    assert answer.content_type == "application/x-x509-ca-cert"
    assert answer.body == TlsPlaces.of(made[0]).ca.read_bytes()
    assert b"KEY" not in answer.body
    missing = await certificates.handler(tmp_path)(request)
    assert missing.status == 404


def test_serve_uses_the_certificate_by_itself(tmp_path: Path) -> None:
    """`tls init`, then `serve`: the address is https, tools work, and the authority is there."""
    data = tmp_path / "data"
    said = railbird("tls", "init", "--data", data)
    assert said.returncode == 0, said.stderr
    assert "SHA-256 fingerprint" in said.stdout
    hub = Process(data)
    try:
        url = hub.said[0].removeprefix("Railbird is ready: ")
        assert url.startswith("https://127.0.0.1:")
        done = railbird_here("do", "event.create", "--preset", "selkirk-main", "--data", data)
        assert (done.stdout, done.stderr) == ("done\n", "")
        assert railbird_here("backup", "--data", data).returncode == 0
        trusting = ssl.create_default_context(cafile=TlsPlaces.of(data).ca)
        with urllib.request.urlopen(url + certificates.URL, context=trusting) as answer:  # noqa: S310
            assert answer.read() == TlsPlaces.of(data).ca.read_bytes()
    finally:
        assert hub.stop() == 0


def test_plain_is_plain(tmp_path: Path) -> None:
    """Who asks for plain http gets it, certificate or not."""
    data = tmp_path / "data"
    authority.init(data)
    hub = Process(data, "--plain")
    try:
        assert hub.said[0].startswith("Railbird is ready: http://")
        assert railbird_here("show", "events", "--data", data).returncode == 0
    finally:
        hub.stop()


# ── ciphers ──────────────────────────────────────────────────────────────────────────────────────


def test_every_cipher_seals_whole_messages_and_keeps_no_key(made: tuple[Path, Made]) -> None:
    """Only AEAD, and a key of its own for each connection: what is recorded stays unread."""
    context = certificates.context(own(made[0]))
    assert context is not None
    ciphers = context.get_ciphers()
    assert {cipher["protocol"] for cipher in ciphers} == {"TLSv1.2", "TLSv1.3"}
    assert all(cipher["aead"] for cipher in ciphers)
    old = [cipher for cipher in ciphers if cipher["protocol"] == "TLSv1.2"]
    assert {cipher["kea"] for cipher in old} == {"kx-ecdhe"}


@pytest.mark.parametrize(
    ("ciphers", "taken"),
    [
        ("ECDHE-ECDSA-AES128-GCM-SHA256", True),
        ("ECDHE-ECDSA-CHACHA20-POLY1305", True),
        ("ECDHE-ECDSA-AES256-SHA384", False),
        ("ECDHE-ECDSA-AES256-SHA", False),
    ],
)
def test_only_such_a_cipher_comes_to_an_agreement(
    made: tuple[Path, Made], ciphers: str, taken: bool
) -> None:
    """A TLS 1.2 client that has only CBC is refused in the handshake."""
    server = certificates.context(own(made[0]))
    assert server is not None
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    client.set_ciphers(ciphers)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(down, up),
        server.wrap_bio(up, down, server_side=True),
    ]

    def shake() -> None:
        for _ in range(4):
            for end in ends:
                with suppress(ssl.SSLWantReadError):
                    end.do_handshake()

    if taken:
        shake()
        assert ends[0].cipher() == ends[1].cipher()
        assert ends[0].cipher()[0] == ciphers  # type: ignore[index]
    else:
        with pytest.raises(ssl.SSLError):
            shake()
