"""Which addresses may be asked: https, or a server that the user runs on their own machines."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from app.services.web.errors import NotAllowed

LOCAL_ENDINGS = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
MAX_URL = 8000


def check_base(url: str) -> None:
    """Raise unless a service may have this base address, which the user has set or we ship."""
    parts = _parts(url)
    if parts.username or parts.password:
        raise NotAllowed("an address may not contain a password: tokens are kept in the keyring")
    if parts.scheme == "http" and not is_local(parts.hostname or ""):
        raise NotAllowed(f"{_shown(url)}: use https for a server that is not on your own machines")


def check_redirect(asked: str, to: str) -> None:
    """Raise unless a redirect stays with the host that was asked, and as safe."""
    old, new = _parts(asked), _parts(to)
    if (new.hostname or "") != old.hostname:
        raise NotAllowed(f"{old.hostname} sends us on to another server, {str(new.hostname)[:80]}")
    if new.scheme == "http" and old.scheme == "https":
        raise NotAllowed(f"{old.hostname} sends us on to an unencrypted address")
    if new.username or new.password:
        raise NotAllowed(f"{old.hostname} sends us on to an address with a password")


def host_of(url: str) -> str:
    """Host and port: what has a pace of its own."""
    parts = _parts(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.hostname}{port}"


def is_local(host: str) -> bool:
    """Whether a host is on this machine or network, judging by its name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(LOCAL_ENDINGS) or "." not in host
    return not address.is_global


def is_public_peer(address: str) -> bool:
    """Whether a connection that was made leads to the public network."""
    try:
        ip = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_global


def _parts(url: str) -> SplitResult:
    if len(url) > MAX_URL:
        raise NotAllowed(f"an address of {len(url):,} characters")
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError as error:
        raise NotAllowed("that is no address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotAllowed(f"{_shown(url)} is no web address")
    return parts


def _shown(url: str) -> str:
    return url.split("?")[0][:100]
