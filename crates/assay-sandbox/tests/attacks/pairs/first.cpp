// Leaves marks by calls that Python has no name for.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <cstring>
#include <fstream>

// Sends a file over a socket.
void send_file(int socket, int file) {
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
    iovec part = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &file, sizeof file);
    sendmsg(socket, &message, 0);
}

// Leaves a name that is held by sockets which hold each other.
void leave_name() {
    int named = socket(AF_UNIX, SOCK_STREAM, 0), ends[2];
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path + 1, "circle");
    bind(named, reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t) + 7);
    listen(named, 5);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    for (int end : ends)
        for (int file : {named, ends[0], ends[1]}) send_file(end, file);
}

int main() {
    leave_name();
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
