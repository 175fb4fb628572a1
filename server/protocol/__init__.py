"""The wire contract: what clients and the hub say to each other, and nothing else crosses.

Shared by the hub and every Python client; it imports nothing of the hub. `messages` are the words,
`session` a client's side of the conversation without any socket, `sync` the mathematics of agreeing
on the time.
"""
