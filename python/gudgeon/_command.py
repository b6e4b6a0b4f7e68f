"""The command ``gudgeon``: the same program as the one that is built without Python."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    from gudgeon._gudgeon import command

    code = command(sys.argv)
    sys.stdout.flush()
    sys.exit(code)
