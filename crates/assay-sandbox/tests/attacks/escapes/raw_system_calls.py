"""Makes system calls by their numbers, which a library's guard would not see."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
# ptrace, mount, pivot_root, swapon, reboot, init_module, kexec_load, add_key, unshare, setns,
# process_vm_readv, bpf, userfaultfd, io_uring_setup, open_tree, fsopen, perf_event_open
for number in (101, 165, 155, 167, 169, 175, 246, 248, 272, 308, 310, 321, 323, 425, 428, 430, 298):
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0:
        os._exit(42)
# The same calls by the numbers of the x32 interface.
if libc.syscall(0x40000000 + 101, 16, 1, 0, 0) >= 0 or libc.syscall(0x40000000 + 272, 0) >= 0:
    os._exit(42)
raise RuntimeError("contained")
