"""Presets: one TOML file for every event of a house, read by `server.presets`."""
