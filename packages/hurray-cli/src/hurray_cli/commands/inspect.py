"""``hurray inspect``."""

from __future__ import annotations

import click

from hurray_cli import errors
from hurray_cli.escape import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hurray_cli.inspection.overview import Overview

MAX_FAULTS = 20
_ONE_VIEW = "choose one of --json, --descriptor and --values"


@click.command(short_help="Show what is in a file.")
@click.argument("file")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON, with absolute offsets.")
@click.option("--descriptor", metavar="NAME", help="The bytes of a tensor's descriptor, with their meaning.")
@click.option(
    "--values", metavar="NAME", help="The values of a tensor; a big one is elided, and only partly read."
)
def command(
    file: str, names: tuple[str, ...], as_json: bool, descriptor: str | None, values: str | None
) -> int:
    """Show what is in FILE: a summary, then a table of its tensors, or of those that match NAME.

    FILE may have any known format, or be -, a stream on stdin. In a NAME, * and ? match any characters.
    """
    if as_json + (descriptor is not None) + (values is not None) > 1:
        raise errors.WrongUsageError(_ONE_VIEW)
    errors.check_paths(file, streams=descriptor is None and values is None)
    if descriptor is not None:
        return _descriptor(file, descriptor)
    if values is not None:
        return _values(file, values)
    return _overview(file, names, as_json)


def _overview(path: str, names: tuple[str, ...], as_json: bool) -> int:
    from hurray_cli.inspection.overview import overview, select

    found = overview(path)
    rows = select(found, names) if names else found.rows
    if as_json:
        from hurray_cli.inspection.as_json import lines

        for line in lines(found, rows):
            print(line)
    else:
        from hurray_cli.inspection.screen import print_rows, print_screen

        if not names:
            print_screen(found)
        if rows:
            if not names:
                print()
            print_rows(rows)
    return _report_faults(found)


def _report_faults(found: Overview) -> int:
    faults = found.faults
    for row in faults[:MAX_FAULTS]:
        errors.complain(str(row.fault))
    if len(faults) > MAX_FAULTS:
        errors.complain(
            f"{found.path}: {len(faults) - MAX_FAULTS} more cannot be read: hurray verify lists all"
        )
    return errors.FAILED if faults else 0


def _descriptor(path: str, name: str) -> int:
    import hurray
    from hurray import formats

    from hurray_cli.formats import register
    from hurray_cli.inspection.annotate import annotate

    register()
    format = formats.detect(path)
    if format.name != "hrry":
        raise errors.FailedError(f"{path}: a {format.name} file has no Hurray descriptors; convert it first")
    with hurray.open(path, writable=False) as file:
        if name not in file:
            raise errors.FailedError(f"{path}: no tensor named {name!r}")
        data, start = file.descriptor_bytes(name), file.entry(name).descriptor_offset
    print(f"descriptor of {shown(name)}: {len(data)} bytes at {start} ({start:#x}) of {shown(path)}")
    for field in annotate(data):
        text = shown(field.text)
        for at in range(0, max(1, len(field.data)), 8):
            print(f"{field.offset + at:>6}  {field.data[at : at + 8].hex(' '):<23}  {text}".rstrip())
            text = ""
    return 0


def _values(path: str, name: str) -> int:
    from hurray import formats

    from hurray_cli.formats import register
    from hurray_cli.inspection.values import values

    register()
    with formats.detect(path).read(path) as reader:
        item = next((item for item in reader if item.name == name), None)
        if item is None:
            raise errors.FailedError(f"{path}: no tensor named {name!r}")
        text = values(item)
        shape = ", ".join(map(str, item.shape))
        print(f"{shown(item.name)}  {item.dtype}  [{shape}]  {item.layout}")
        print(text)
    return 0
