"""The sub-commands, one module each, imported when they are asked for."""

from __future__ import annotations

import importlib
from typing import Any

import click
from click.exceptions import Exit, UsageError

from hurray_cli.errors import USAGE, WrongUsageError

NAMES = ("convert", "inspect", "verify", "doctor")


class Commands(click.Group):
    """The group that finds its commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which one needs them."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in NAMES:
            return None
        command = importlib.import_module(f"hurray_cli.commands.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - each module has one
        return command


def print_version(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Print the versions of the command and of the library, and leave."""
    if value:
        from hurray_cli.versions import version_of

        click.echo(f"hurray {version_of('hurray-cli')} (hurray-core-py {version_of('hurray-core-py')})")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Print the version.",
)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error; goes anywhere."
)
def hurray() -> None:
    """Convert, inspect and verify tensor files.

    Exit status: 0 done, 1 failed, 2 wrong usage.
    """


def invoke(args: list[str]) -> int:
    """Run the command line under click; its errors become ours. No arguments: the help, and status 2."""
    try:
        # Not main(): it would turn a broken pipe and Ctrl-C into endings of its own. It empties the list.
        with hurray.make_context("hurray", [*args] or ["--help"]) as context:
            status = hurray.invoke(context)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else "hurray"
        raise WrongUsageError(f"{error.format_message()} ({where} --help tells more)") from error
    except Exit as error:
        return error.exit_code if args else USAGE
    return status if isinstance(status, int) else 0
