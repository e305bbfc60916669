// Leaves marks by calls that Python has no name for.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <fstream>

int main() {
    std::ofstream("/tmp/left") << "x";
    std::ofstream("/dev/shm/left") << "x";
    setxattr("/tmp/", "user.mark", "x", 1, 0);
    shmget(77, 4096, IPC_CREAT | 0666);
    semget(77, 1, IPC_CREAT | 0666);
    msgget(77, IPC_CREAT | 0666);
    futimens(open("/dev/null", O_RDONLY), nullptr);
    flock(open("/usr/bin/env", O_RDONLY), LOCK_EX);
    // No rights for anybody in all that is made here from now on.
    const unsigned char none[] = {2, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 4, 0, 0, 0,
                                  255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255};
    setxattr("/tmp/", "system.posix_acl_default", none, sizeof none, 0);
}
