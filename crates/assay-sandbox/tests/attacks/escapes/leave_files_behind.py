"""Leaves files for the next program, in folders that are hard to clear away."""
import os
os.makedirs("/tmp/left/deep", exist_ok=True)
open("/tmp/left/deep/file", "w").write("x")
open("/tmp/file", "w").write("x")
os.chmod("/tmp/left/deep", 0)
os.chmod("/tmp/left", 0)
path = "/tmp"
os.chdir(path)
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
raise RuntimeError("contained")
