"""The hub of a tournament room, and the engine that it stands on."""
