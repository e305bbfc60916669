"""Reads a file that the test has put on the host."""
import glob, os
if glob.glob("/tmp/assay-canary*") or glob.glob("/var/tmp/assay-canary*"):
    os._exit(42)
raise RuntimeError("contained")
