"""``hurray convert``: the options; the work is in :mod:`hurray_cli.convert`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hurray_cli.convert import OPTIONS, run


def _options(function: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(OPTIONS):
        names = (*option.names, option.field)
        if option.metavar is None:
            function = click.option(*names, is_flag=True, help=option.help)(function)
        else:
            function = click.option(*names, metavar=option.metavar, help=option.help)(function)
    return function


@click.command(short_help="Convert a file into another format.")
@click.argument("src")
@click.argument("dst")
@_options
def command(**parameters: Any) -> int:
    """Convert the file SRC into the file DST; - is a stream on stdin or stdout.

    Among .hrry, .safetensors (a sharded checkpoint by its *.index.json) and what the installed plugins add
    (.npy and .npz with hurray-numpy). Nothing is rounded, renamed or dropped: what DST cannot hold is
    refused, all of it listed, before a byte is written. DST appears whole or not at all; SRC and DST may be
    the same file. An existing DST without --force is an error (exit status 1).

    A stream holds names and metadata as its first tensor: hurray convert model.safetensors - | ssh host hurray
    convert - model.hrry goes through in the memory of one tensor.
    """
    return run(**parameters)
