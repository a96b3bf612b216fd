"""Look at other processes of this machine."""

import os


def is_alive(pid):
    """Tell whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
