"""The same as ``redunet bench``."""

from redunet.cli.app import app

if __name__ == "__main__":
    app(["bench"])
