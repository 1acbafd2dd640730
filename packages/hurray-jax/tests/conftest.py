"""JAX on the CPU with its 64-bit types on; the tests that want them off switch them off for themselves.

Two devices where there is one, so that an array can be spread over them.
"""

from __future__ import annotations

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"

import jax

jax.config.update("jax_enable_x64", True)
