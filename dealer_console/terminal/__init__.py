"""Consoles in a terminal, for dealers and directors. May import `display.terminal` and themes."""
