"""An immutable map that shares what did not change and knows its earliest deadline.

A room of a thousand tables changes one table at a time. Copying a dictionary of all of them for
every tap, or asking each of them when it wants to be woken, would make a tap dearer in a large
room. Here a change copies one short path, and every node remembers the least weight below it.
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Any, Generic, TypeVar
from zlib import crc32

K = TypeVar("K", bound=int | str)
V = TypeVar("V")

NEVER = 1 << 62
"""The weight of what waits for nothing."""

_BITS = 5
_WIDTH = 1 << _BITS
_MASK = _WIDTH - 1


class _Leaf(Generic[K, V]):
    __slots__ = ("code", "key", "least", "value")
    size = 1

    def __init__(self, code: int, key: K, value: V, least: int) -> None:
        self.code = code
        self.key = key
        self.value = value
        self.least = least


class _Node(Generic[K, V]):
    __slots__ = ("kids", "least", "size")

    def __init__(
        self, kids: "list[_Node[K, V] | _Leaf[K, V] | None]", least: int, size: int
    ) -> None:
        self.kids = kids
        self.least = least
        self.size = size

    def with_kid(self, slot: int, new: "_Node[K, V] | _Leaf[K, V] | None") -> "_Node[K, V]":
        """Make a node with another kid; only if the old one was the earliest are all asked."""
        kids = self.kids.copy()
        old, kids[slot] = kids[slot], new
        least, size = (NEVER, self.size) if new is None else (new.least, self.size + new.size)
        if least > self.least:
            was_earliest = old is not None and old.least == self.least
            least = min([k.least for k in kids if k], default=NEVER) if was_earliest else self.least
        return _Node(kids, least, size if old is None else size - old.size)


_EMPTY: "_Node[Any, Any]" = _Node([None] * _WIDTH, NEVER, 0)


def _code(key: int | str) -> int:
    """Spread keys over the slots: unique for each key, and the same in every process."""
    if isinstance(key, int):
        return key
    name = key.encode("utf-8", "surrogatepass")
    return int.from_bytes(b"\x01" + name, "big") << 32 | crc32(name)


def _put(node: _Node[K, V], leaf: _Leaf[K, V], shift: int) -> _Node[K, V]:
    slot = leaf.code >> shift & _MASK
    kid = node.kids[slot]
    new: _Node[K, V] | _Leaf[K, V] = leaf
    if isinstance(kid, _Node):
        new = _put(kid, leaf, shift + _BITS)
    elif kid is not None and kid.key != leaf.key:
        deeper: _Node[K, V] = _EMPTY.with_kid(kid.code >> shift + _BITS & _MASK, kid)
        new = _put(deeper, leaf, shift + _BITS)
    return node.with_kid(slot, new)


def _drop(node: _Node[K, V], code: int, shift: int) -> _Node[K, V]:
    slot = code >> shift & _MASK
    kid = node.kids[slot]
    rest = _drop(kid, code, shift + _BITS) if isinstance(kid, _Node) else None
    return node.with_kid(slot, rest if rest is not None and rest.size else None)


class Trie(Generic[K, V]):
    """An immutable map from integers or strings; `weigh` gives a value's deadline."""

    __slots__ = ("_root", "_weigh")

    def __init__(
        self, weigh: Callable[[V], int] | None = None, _root: _Node[K, V] = _EMPTY
    ) -> None:
        self._root = _root
        self._weigh = weigh

    def _leaf(self, key: K) -> _Leaf[K, V] | None:
        code = _code(key)
        rest, kid = code, self._root.kids[code & _MASK]
        while isinstance(kid, _Node):
            rest >>= _BITS
            kid = kid.kids[rest & _MASK]
        return kid if kid is not None and kid.key == key else None

    def get(self, key: K) -> V | None:
        """Find a value, or None."""
        leaf = self._leaf(key)
        return None if leaf is None else leaf.value

    def __getitem__(self, key: K) -> V:
        leaf = self._leaf(key)
        if leaf is None:
            raise KeyError(key)
        return leaf.value

    def __contains__(self, key: K) -> bool:
        return self._leaf(key) is not None

    def __len__(self) -> int:
        return self._root.size

    def put(self, key: K, value: V) -> "Trie[K, V]":
        """Make a map in which `key` has this value."""
        weight = NEVER if self._weigh is None else self._weigh(value)
        return Trie(self._weigh, _put(self._root, _Leaf(_code(key), key, value, weight), 0))

    def drop(self, key: K) -> "Trie[K, V]":
        """Make a map without `key`."""
        if key not in self:
            return self
        return Trie(self._weigh, _drop(self._root, _code(key), 0))

    @property
    def least(self) -> int:
        """The earliest deadline of all values, or NEVER."""
        return self._root.least

    def first(self) -> tuple[K, V]:
        """Find the value with the earliest deadline; a tie goes to the same key every time."""
        node = self._root
        while True:
            kid = min((k for k in node.kids if k is not None), key=lambda k: k.least)
            if isinstance(kid, _Leaf):
                return kid.key, kid.value
            node = kid

    def by_weight(self) -> Iterator[tuple[int, V]]:
        """Give the values that wait for something, the earliest first; only what is asked for."""
        ahead: list[tuple[int, int, _Node[K, V] | _Leaf[K, V]]] = []
        numbers = count()
        heappush(ahead, (self._root.least, next(numbers), self._root))
        while ahead and ahead[0][0] < NEVER:
            weight, _, found = heappop(ahead)
            if isinstance(found, _Leaf):
                yield weight, found.value
                continue
            for kid in found.kids:
                if kid is not None and kid.least < NEVER:
                    heappush(ahead, (kid.least, next(numbers), kid))

    def items(self) -> list[tuple[K, V]]:
        """List all pairs in the order of their keys."""
        pairs: list[tuple[Any, V]] = list(self._walk(self._root))
        return sorted(pairs, key=lambda pair: pair[0])

    def keys(self) -> list[K]:
        """List all keys in their order."""
        return [key for key, _ in self.items()]

    def values(self) -> list[V]:
        """List all values in the order of their keys."""
        return [value for _, value in self.items()]

    def _walk(self, node: _Node[K, V]) -> Iterator[tuple[K, V]]:
        for kid in node.kids:
            if isinstance(kid, _Leaf):
                yield kid.key, kid.value
            elif kid is not None:
                yield from self._walk(kid)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trie) and self.items() == other.items()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Trie({dict(self.items())!r})"
