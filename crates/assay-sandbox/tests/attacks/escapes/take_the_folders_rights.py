"""Makes the folder for writing useless for whoever comes next."""
import os
os.chmod("/tmp", 0)
raise RuntimeError("contained")
