"""``hurray doctor``."""

from __future__ import annotations

import click

from hurray_cli.escape import shown
from hurray_cli.versions import version_of

DISTRIBUTIONS = (
    "hurray-core-py",
    "hurray-cli",
    "hurray-numpy",
    "hurray-torch",
    "hurray-scipy",
    "hurray-jax",
    "hurray-cupy",
    "click",
    "rich",
)


@click.command(short_help="Show versions and plugins, and what is wrong with them.")
def command() -> int:
    """Show the versions that run, and each plugin with its state; a broken one with the reason.

    HURRAY_PLUGINS=0 in the environment switches the search for plugins off, a comma list limits it to those names.
    The .hrry format and this command's own safetensors are no plugins of it, and stay.
    """
    import platform
    import sys

    import hurray
    from hurray import bridges, formats

    from hurray_cli.formats import register
    from hurray_cli.table import Table

    register()

    print(f"python  {platform.python_version()}  {shown(sys.executable)}")
    print(f"system  {platform.platform()}")
    print(f"hurray  {shown(hurray.__file__ or '')}")
    versions = Table(("distribution", "version"))
    for name in DISTRIBUTIONS:
        versions.add(name, version_of(name) or "not installed")
    print()
    versions.print()
    plugins = Table(("plugin", "kind", "from", "state", "detail"))
    installed = formats.report()
    for name in sorted({*formats.names()} - {plugin.name for plugin in installed}):
        plugins.add(name, "format", "built in", "ok", "")
    for kind, found in (("format", installed), ("bridge", bridges.report())):
        for plugin in found:
            origin = f"{plugin.distribution} {plugin.version}".strip()
            plugins.add(shown(plugin.name), kind, shown(origin), plugin.state, shown(plugin.detail))
    print()
    plugins.print()
    return 0
