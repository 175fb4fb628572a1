"""Themes: one TOML file each, feeding the web pages and the terminal alike."""
