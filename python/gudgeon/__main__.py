"""``python -m gudgeon``."""

from gudgeon._command import main

if __name__ == "__main__":
    main()
