"""layouts.md §10: block_paged (0x0A)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader
from .base import LIMIT, Index, Layout, SizeOf, Unresolved
from .sparse import pointers_good, u32_array, u64_array

if TYPE_CHECKING:
    from ..descriptor import Descriptor

_PAYLOAD = struct.Struct("<IQIIBIB6s")


@dataclass(frozen=True)
class BlockPaged(Layout):
    """Tokens of many sequences in the pages of one pool; shape is [tokens, heads, lanes]."""

    page_size: int
    num_pages: int
    paged_axis: int = 0
    num_seqs: int = 1
    kv_role: int = 0
    layer_index: int = 0xFFFF_FFFF
    index_type: int = 0
    reserved: bytes = bytes(6)
    tag = 0x0A
    name = "block_paged"
    dense = False
    sharded = False
    ranks = range(3, 4)

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> BlockPaged:
        """32 bytes."""
        one = cls(*_PAYLOAD.unpack(reader.take(32, "block_paged payload")))
        report.check(one.page_size > 0, "D-24 L-35", "page_size 0")
        report.check(one.paged_axis == 0, "D-24 L-35", f"paged_axis {one.paged_axis}")
        report.check(one.kv_role <= 2, "D-23 L-36", f"kv_role {one.kv_role}")
        report.check(one.index_type <= 1, "D-23 L-36", f"block_table_index_type {one.index_type}")
        report.check(not any(one.reserved), "D-20 L-37", "block_paged: reserved bytes")
        return one

    def encode(self) -> bytes:
        """32 bytes."""
        first = (self.page_size, self.num_pages, self.paged_axis, self.num_seqs, self.kv_role)
        return _PAYLOAD.pack(*first, self.layer_index, self.index_type, self.reserved)

    def own_buffers(self, rank: int) -> int:
        """Pool, block table, sequence pointers."""
        return 3

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """L-34."""
        report.check(descriptor.rank == 3, "D-21 L-34", f"block_paged of rank {descriptor.rank}")

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-39."""
        if descriptor.rank != 3 or len(descriptor.handles) < 3:
            return
        sizes = [handle.byte_size for handle in descriptor.handles]
        tokens, heads, lanes = descriptor.shape
        slots = self.num_pages * self.page_size * heads * lanes if 0 not in descriptor.shape else 0
        pool = size_of(slots)
        report.check(slots < LIMIT and pool <= sizes[0], "L-39 S-9 F-47", f"the pool needs {pool} bytes")
        width = 8 if self.index_type else 4
        table = -(-tokens // max(self.page_size, 1)) * width
        report.check(table <= sizes[1], "L-39 S-9 F-47", f"the block table needs {table} bytes")
        pointers = (self.num_seqs + 1) * width
        report.check(pointers <= sizes[2], "L-39 S-9 F-47", f"seq_ptr needs {pointers} bytes")

    def tables(self, buffers: list[bytes]) -> tuple[list[int], list[int]]:
        """block_table and seq_ptr."""
        read = u64_array if self.index_type else u32_array
        return read(buffers[1]), read(buffers[2])[: self.num_seqs + 1]

    def check_contents(self, descriptor: Descriptor, buffers: list[bytes], report: Report) -> None:
        """L-38, and that the pages have room for the tokens."""
        table, pointers = self.tables(buffers)
        report.check(
            pointers_good(pointers, len(table)), "L-38", f"seq_ptr {pointers[:9]} for {len(table)} pages"
        )
        report.check(all(page < self.num_pages for page in table), "L-38", f"a page id of {table[:9]}")

    def token_of(self, descriptor: Descriptor, buffers: list[bytes], position: int) -> tuple[int, int]:
        """Sequence and token of a row. Token counts are not encoded: they follow in two cases alone (§16.12)."""
        table, pointers = self.tables(buffers)
        if self.num_seqs <= 1:
            return 0, position
        if len(table) * self.page_size != descriptor.shape[0]:
            raise Unresolved("the tokens of each sequence come out of band")
        page = position // self.page_size
        sequence = max(q for q in range(self.num_seqs) if pointers[q] <= page)
        return sequence, position - pointers[sequence] * self.page_size

    def address(self, descriptor: Descriptor, buffers: list[bytes], where: tuple[int, int, int, int]) -> int:
        """The element of the pool for (sequence, token, head, lane)."""
        sequence, token, head, lane = where
        table, pointers = self.tables(buffers)
        page = table[pointers[sequence] + token // self.page_size]
        slot = page * self.page_size + token % self.page_size
        return (slot * descriptor.shape[1] + head) * descriptor.shape[2] + lane

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """By way of the token's sequence."""
        sequence, token = self.token_of(descriptor, buffers, index[0])
        return self.address(descriptor, buffers, (sequence, token, index[1], index[2]))

    def slot_of(self, descriptor: Descriptor, element: int) -> int:
        """Page · page_size + slot of an element of the pool, by which per-block parameters go."""
        return element // (descriptor.shape[1] * descriptor.shape[2])
