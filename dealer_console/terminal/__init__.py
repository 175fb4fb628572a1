"""Consoles in a terminal (Textual): the dealer's and the director's; imports `display.terminal`."""
