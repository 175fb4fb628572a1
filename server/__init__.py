"""The hub of a tournament room, and the engine that it stands on."""

__version__ = "0.2.0.dev0"
