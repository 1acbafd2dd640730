"""A codec of the format in pure Python, written from the format's text alone, to judge others by.

Read in this order: ``faults``, ``wire``, ``element_types``, ``numbers``, ``packing``, ``buffers``, ``sections``,
``layouts/``, ``quantization``, ``quantization_checks``, ``dequantize``, ``descriptor``, ``tensor``, ``composite``,
``stream``, ``file/``, ``rules``. Each names the page and the clauses that it follows. Slow and strict on purpose.
"""

from __future__ import annotations
