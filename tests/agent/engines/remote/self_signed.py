"""A certificate nobody has signed, for 127.0.0.1."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Certificate and private key, made here and gone with the folder."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(private, hashes.SHA256())
    )
    pem, none = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    key = private.private_bytes(pem, serialization.PrivateFormat.PKCS8, none)
    (folder / "key.pem").write_bytes(key)
    return folder / "cert.pem", folder / "key.pem"
