"""Starts programs that run as their owner."""
import os, subprocess
for command in (["/usr/bin/su", "-c", "id"], ["/bin/mount", "-t", "tmpfs", "x", "/tmp"],
                ["/usr/bin/sudo", "-n", "id"], ["/usr/bin/unshare", "-r", "id"]):
    try:
        if subprocess.run(command, capture_output=True, timeout=5).returncode == 0:
            os._exit(42)
    except (OSError, subprocess.TimeoutExpired):
        pass
raise RuntimeError("contained")
