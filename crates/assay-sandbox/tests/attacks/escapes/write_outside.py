"""Writes beside its own folder."""
import os
for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/.assay", "/lib", "/var", "/home"):
    try:
        with open(folder + "/escaped", "w") as file:
            file.write("x")
        os._exit(42)
    except OSError:
        pass
raise RuntimeError("contained")
