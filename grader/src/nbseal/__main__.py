"""`nbseal`."""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "nbseal needs Python 3.11 or newer, this is Python %d.%d: install a newer one."
        % sys.version_info[:2]
    )


def run() -> None:
    """The command, from its first import on."""
    # Where this package is installed, jsonschema builds a grammar of it as it is imported: a second
    # of every command, for web addresses in other scripts, which no notebook's schema asks for.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # as if it were not
    from nbseal.cli import main

    main()


if __name__ == "__main__":
    run()
