"""Run the command line: `python -m hushrank`, and the command `hushrank`."""

import sys


def main() -> None:
    """Run the command line; whoever interrupts it, even while it is imported, sees no traceback."""
    try:
        from hushrank.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
