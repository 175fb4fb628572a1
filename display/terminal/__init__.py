"""The wall in a terminal, drawn with Textual. Imports `display`, `themes` and `server.protocol`."""
