from tests.app.services.conftest import client, server

__all__ = ["client", "server"]
