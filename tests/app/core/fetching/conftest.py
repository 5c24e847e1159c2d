from tests.app.services.conftest import client

__all__ = ["client"]
