"""The hub of a tournament room, and the engine that it stands on."""

__version__ = "0.1.0"
