"""Consoles of the people who work the floor. Imports only `server.protocol` of the hub."""
