"""An immutable map that shares what did not change and knows its earliest deadline.

A room of a thousand tables changes one table at a time. Copying a dictionary of all of them for
every tap, or asking each of them when it wants to be woken, would make a tap dearer in a large
room. Here a change copies one short path, and every node remembers the least weight below it.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=int | str)
V = TypeVar("V")

NEVER = 1 << 62
"""The weight of what waits for nothing."""

_BITS = 5
_MASK = (1 << _BITS) - 1


class _Leaf(Generic[K, V]):
    __slots__ = ("code", "key", "least", "value")

    def __init__(self, code: int, key: K, value: V, least: int) -> None:
        self.code = code
        self.key = key
        self.value = value
        self.least = least


class _Node(Generic[K, V]):
    __slots__ = ("kids", "least")

    def __init__(self, kids: "dict[int, _Node[K, V] | _Leaf[K, V]]") -> None:
        self.kids = kids
        self.least: int = min([kid.least for kid in kids.values()], default=NEVER)


def _code(key: int | str) -> int:
    """Spread keys over the slots: unique for each key, and the same in every process.

    Names differ at their ends more often than at their beginnings, so the last byte comes first.
    """
    if isinstance(key, int):
        return key
    return int.from_bytes(b"\x01" + key.encode("utf-8", "surrogatepass"), "big")


def _put(node: _Node[K, V], leaf: _Leaf[K, V], shift: int) -> _Node[K, V]:
    slot = leaf.code >> shift & _MASK
    kid = node.kids.get(slot)
    if isinstance(kid, _Node):
        new: _Node[K, V] | _Leaf[K, V] = _put(kid, leaf, shift + _BITS)
    elif kid is None or kid.key == leaf.key:
        new = leaf
    else:
        deeper: _Node[K, V] = _Node({kid.code >> shift + _BITS & _MASK: kid})
        new = _put(deeper, leaf, shift + _BITS)
    return _Node({**node.kids, slot: new})


def _drop(node: _Node[K, V], code: int, shift: int) -> _Node[K, V]:
    slot = code >> shift & _MASK
    kid = node.kids[slot]
    kids = dict(node.kids)
    if isinstance(kid, _Node) and (rest := _drop(kid, code, shift + _BITS)).kids:
        kids[slot] = rest
    else:
        del kids[slot]
    return _Node(kids)


class Trie(Generic[K, V]):
    """An immutable map from integers or strings; `weigh` gives a value's deadline."""

    __slots__ = ("_root", "_size", "_weigh")

    def __init__(self, weigh: Callable[[V], int] | None = None) -> None:
        self._root: _Node[K, V] = _Node({})
        self._size = 0
        self._weigh = weigh

    def _with(self, root: _Node[K, V], size: int) -> "Trie[K, V]":
        new: Trie[K, V] = Trie(self._weigh)
        new._root, new._size = root, size
        return new

    def _leaf(self, key: K) -> _Leaf[K, V] | None:
        code = _code(key)
        rest, kid = code, self._root.kids.get(code & _MASK)
        while isinstance(kid, _Node):
            rest >>= _BITS
            kid = kid.kids.get(rest & _MASK)
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
        return self._size

    def put(self, key: K, value: V) -> "Trie[K, V]":
        """Make a map in which `key` has this value."""
        weight = NEVER if self._weigh is None else self._weigh(value)
        size = self._size + (key not in self)
        return self._with(_put(self._root, _Leaf(_code(key), key, value, weight), 0), size)

    def drop(self, key: K) -> "Trie[K, V]":
        """Make a map without `key`."""
        if key not in self:
            return self
        return self._with(_drop(self._root, _code(key), 0), self._size - 1)

    @property
    def least(self) -> int:
        """The earliest deadline of all values, or NEVER."""
        return self._root.least

    def first(self) -> tuple[K, V]:
        """Find the value with the earliest deadline; a tie goes to the same key every time."""
        node = self._root
        while True:
            _, kid = min(node.kids.items(), key=lambda item: (item[1].least, item[0]))
            if isinstance(kid, _Leaf):
                return kid.key, kid.value
            node = kid

    def items(self) -> list[tuple[K, V]]:
        """List all pairs in the order of their keys."""
        return sorted(self._walk(self._root), key=lambda pair: _code(pair[0]))

    def _walk(self, node: _Node[K, V]) -> Iterator[tuple[K, V]]:
        for kid in node.kids.values():
            if isinstance(kid, _Leaf):
                yield kid.key, kid.value
            else:
                yield from self._walk(kid)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trie) and self.items() == other.items()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Trie({dict(self.items())!r})"
