"""Run the command line: `python -m hushrank`."""

from hushrank.cli.main import main

if __name__ == "__main__":
    main()
