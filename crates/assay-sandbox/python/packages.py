"""Makes installed packages importable in an interpreter that was started with `-S`.

Python's own start-up also runs the code in `.pth` files. On many machines that code loads dozens of modules that no
program asked for, and every fork pays for them. Here the files only add folders to `sys.path`.
"""

import os
import site
import sys


def add_packages():
    """Does what Python's own start-up does, without running code of `.pth` files and customisation modules."""
    site.addpackage = _add_folders
    site.execsitecustomize = site.execusercustomize = lambda: None
    site.main()


def _add_folders(folder, name, known):
    """Adds the folders that a `.pth` file names."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8-sig", errors="replace") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return known
    for line in lines:
        path = os.path.join(folder, line)
        if line and not line.startswith(("#", "import ", "import\t")) and path not in sys.path and os.path.exists(path):
            sys.path.append(path)
    return known
