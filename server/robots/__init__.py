"""Robot people: a director and dealers who play a whole night over the real protocol.

For the demo, for load and for tests. They see what clients see and tap what clients tap: nothing
here may import the hub or the engine, only `server.protocol`.
"""
