// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FDS 8
#define MAX_TARGET 65535

static int result(int value) { return value < 0 ? -errno : value; }

int clinux_peer_credentials(int socket, struct clinux_peer *peer) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -errno;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

int clinux_peer_process(int socket) {
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
    int pidfd = -1;
    socklen_t size = sizeof pidfd;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) < 0) return -errno;
    return pidfd;
}

int clinux_clock_is_kept(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int outcome = adjtimex(&state);
    if (outcome < 0) return -errno;
    return outcome != TIME_ERROR && !(state.status & STA_UNSYNC);
}

int clinux_memory_file(const char *name) { return result(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

int clinux_seal_size(int fd) { return result(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)); }

int clinux_seal(int fd) {
    return result(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL));
}

int clinux_pidfd_open(pid_t pid) { return result((int)syscall(SYS_pidfd_open, pid, 0)); }

int clinux_pidfd_send_signal(int pidfd, int signal) {
    return result((int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int clinux_pidfd_getfd(int pidfd, int descriptor) {
    return result((int)syscall(SYS_pidfd_getfd, pidfd, descriptor, 0));
}

int clinux_reap(int pidfd, int *status) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    int outcome;
    do outcome = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED);
    while (outcome < 0 && errno == EINTR);
    if (outcome < 0) return -errno;
    *status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
    return 0;
}

int clinux_await_exit(int pidfd) {
    siginfo_t info;
    int outcome;
    do outcome = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOWAIT);
    while (outcome < 0 && errno == EINTR);
    return result(outcome);
}

int clinux_has_children(void) {
    siginfo_t info;
    int outcome;
    do outcome = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG | __WALL);
    while (outcome < 0 && errno == EINTR);
    if (outcome < 0) return errno == ECHILD ? 0 : -errno;
    return 1;
}

static int is_target(int number, const int *targets, int count) {
    for (int i = 0; i < count; i++)
        if (targets[i] == number) return 1;
    return 0;
}

/// Defines the open files of the new process: `moved[i]` as `targets[i]`, the defaults for numbers 0, 1 and 2, and
/// nothing else.
static int arrange_files(
    posix_spawn_file_actions_t *files, const int *moved, const int *targets, int count, int highest, int keep_output) {
    int failure = 0;
    for (int i = 0; i < count && !failure; i++) failure = posix_spawn_file_actions_adddup2(files, moved[i], targets[i]);
    for (int number = 0; number <= highest && !failure; number++) {
        if (is_target(number, targets, count)) continue;
        if (number > 2) failure = posix_spawn_file_actions_addclose(files, number);
        else if (number == 0 || !keep_output) failure = posix_spawn_file_actions_addopen(files, number, "/dev/null", O_RDWR, 0);
    }
    return failure ? failure : posix_spawn_file_actions_addclosefrom_np(files, highest + 1);
}

static int prepare(posix_spawnattr_t *attributes) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int failure = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (!failure) failure = posix_spawnattr_setpgroup(attributes, 0);
    if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failure) failure = posix_spawnattr_setsigmask(attributes, &none);
    return failure;
}

int clinux_spawn(
    const char *path, char *const *arguments, char *const *environment, const int *sources, const int *targets,
    int count, int keep_output) {
    if (count < 0 || count > MAX_FDS) return -EINVAL;
    int highest = 2, moved[MAX_FDS], held = 0, failure = 0;
    for (int i = 0; i < count; i++) {
        if (targets[i] < 0 || targets[i] > MAX_TARGET) return -EINVAL;
        if (targets[i] > highest) highest = targets[i];
    }
    // First move the sources above every target, so that no dup2 overwrites a source that is still needed.
    for (; held < count && !failure; held++) {
        moved[held] = fcntl(sources[held], F_DUPFD_CLOEXEC, highest + 1);
        if (moved[held] < 0) {
            failure = errno;
            break;
        }
    }
    pid_t pid = -1;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    if (!failure) failure = prepare(&attributes);
    if (!failure) failure = arrange_files(&files, moved, targets, count, highest, keep_output);
    if (!failure) failure = posix_spawn(&pid, path, &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    for (int i = 0; i < held; i++) close(moved[i]);
    return failure ? -failure : (int)pid;
}

int clinux_become(const char *path, char *const *arguments, const int *kept, int count) {
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0) return -errno;
    for (int i = 0; i < count; i++) {
        if (fcntl(kept[i], F_SETFD, 0) < 0) return -errno;
    }
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(number, SIG_DFL);
    }
    execv(path, arguments);
    return -errno;
}

int clinux_die_with_parent(int signal) { return result(prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0)); }
int clinux_forbid_dumps(void) { return result(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }
void clinux_share_arenas(int count) { mallopt(M_ARENA_MAX, count); }

int clinux_adopt_orphans(void) { return result(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

static int address(const char *path, struct sockaddr_un *out) {
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof out->sun_path) return -ENAMETOOLONG;
    strcpy(out->sun_path, path);
    return 0;
}

int clinux_listen(const char *path, mode_t mode, int backlog) {
    struct sockaddr_un where;
    int outcome = address(path, &where);
    if (outcome < 0) return outcome;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    // The socket is created without access for anyone, and bind(2) gives the file the socket's mode. chmod(2) grants
    // access afterwards, so the file never has more permissions than `mode`. umask(2) would also affect files that
    // other threads create meanwhile.
    outcome = fchmod(fd, 0) < 0 || bind(fd, (struct sockaddr *)&where, sizeof where) < 0 ? -errno : 0;
    if (outcome == 0 && chmod(path, mode) < 0) outcome = -errno;
    if (outcome == 0 && listen(fd, backlog) < 0) outcome = -errno;
    if (outcome < 0) {
        close(fd);
        return outcome;
    }
    return fd;
}

int clinux_event(void) { return result(eventfd(0, EFD_CLOEXEC)); }

int clinux_accept(int listener, int stop) {
    if (stop >= 0) {
        struct pollfd questions[] = {{.fd = listener, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
        int count;
        do count = poll(questions, 2, -1);
        while (count < 0 && errno == EINTR);
        if (count < 0) return -errno;
        if (questions[1].revents != 0) return -EINVAL;
    }
    int fd;
    do fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return result(fd);
}

int clinux_connect(const char *path) {
    struct sockaddr_un where;
    int outcome = address(path, &where);
    if (outcome < 0) return outcome;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    do outcome = connect(fd, (struct sockaddr *)&where, sizeof where);
    while (outcome < 0 && errno == EINTR);
    if (outcome < 0) {
        outcome = -errno;
        close(fd);
        return outcome;
    }
    return fd;
}

int clinux_socket_pair(int ends[2]) { return result(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)); }

int clinux_listens(int fd) {
    int listens = 0, domain = 0, type = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return -errno;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) return -errno;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0) return -errno;
    return listens != 0 && domain == AF_UNIX && type == SOCK_STREAM;
}

int clinux_socket_path(int fd, char *path, size_t size) {
    struct sockaddr_un where;
    memset(&where, 0, sizeof where);
    socklen_t length = sizeof where;
    if (getsockname(fd, (struct sockaddr *)&where, &length) < 0) return -errno;
    if (where.sun_family != AF_UNIX || where.sun_path[0] == 0) return -EINVAL;
    size_t count = strnlen(where.sun_path, sizeof where.sun_path);
    if (count >= size) return -ENAMETOOLONG;
    memcpy(path, where.sun_path, count);
    path[count] = 0;
    return 0;
}

int clinux_close_on_exec(int fd) {
    int flags = fcntl(fd, F_GETFD);
    return flags < 0 ? -errno : result(fcntl(fd, F_SETFD, flags | FD_CLOEXEC));
}

int clinux_is_memory_file(int fd) { return fcntl(fd, F_GET_SEALS) >= 0; }

int clinux_notify(const char *path, const char *message, int file, int patience) {
    struct sockaddr_un where;
    int outcome = address(path, &where);
    if (outcome < 0) return outcome;
    socklen_t size = sizeof where;
    if (path[0] == '@') {
        where.sun_path[0] = 0;
        size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | (patience > 0 ? 0 : SOCK_NONBLOCK), 0);
    if (fd < 0) return -errno;
    outcome = connect(fd, (struct sockaddr *)&where, size) < 0 ? -errno : 0;
    struct timeval wait = {.tv_sec = patience / 1000, .tv_usec = patience % 1000 * 1000};
    if (outcome == 0 && patience > 0) outcome = result(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait));
    if (outcome == 0) {
        ssize_t sent = clinux_send(fd, message, strlen(message), &file, file >= 0, 0);
        outcome = sent < 0 ? (int)sent : 0;
    }
    close(fd);
    return outcome;
}

int clinux_bind_datagrams(const char *path) {
    struct sockaddr_un where;
    int outcome = address(path, &where);
    if (outcome < 0) return outcome;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    outcome = bind(fd, (struct sockaddr *)&where, sizeof where) < 0 || chmod(path, 0600) < 0 ? -errno : 0;
    if (outcome == 0) return fd;
    close(fd);
    return outcome;
}

ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *fds, int fd_count, int flags) {
    if (fd_count < 0 || fd_count > MAX_FDS) return -EINVAL;
    struct iovec data = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (fd_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.space;
        message.msg_controllen = CMSG_SPACE((size_t)fd_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN((size_t)fd_count * sizeof(int));
        memcpy(CMSG_DATA(header), fds, (size_t)fd_count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | flags);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

ssize_t clinux_receive(
    int socket, void *bytes, size_t count, int *fds, int fd_capacity, int *fd_count, int flags) {
    struct iovec data = {.iov_base = bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
    while (received < 0 && errno == EINTR);
    *fd_count = 0;
    if (received < 0) return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < arrived; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
            if (*fd_count < fd_capacity) fds[(*fd_count)++] = fd;
            else close(fd);  // More than requested: close it, so that no received descriptor leaks.
        }
    }
    return received;
}

int clinux_open(const char *path, int flags, mode_t mode) {
    int fd;
    do fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return result(fd);
}

int clinux_exists(const char *path) {
    int fd = clinux_open(path, O_PATH | O_NOFOLLOW, 0);
    if (fd == -ENOENT) return 0;
    if (fd < 0) return fd;
    close(fd);
    return 1;
}

int clinux_status(int folder, const char *name, struct clinux_status *status) {
    struct statx found;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC | AT_EMPTY_PATH;
    if (statx(folder, name, flags, STATX_BASIC_STATS, &found) < 0) return -errno;
    *status = (struct clinux_status){
        .inode = found.stx_ino,
        .size = (int64_t)found.stx_size,
        .changed_seconds = found.stx_ctime.tv_sec,
        .changed_nanoseconds = found.stx_ctime.tv_nsec,
        .owner = found.stx_uid,
        .mode = found.stx_mode,
        .is_mount = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
    };
    return 0;
}

int clinux_run_when_idle(void) {
    // The C library has no function for this call; the numbers are in linux/ioprio.h.
    enum { thread = 1, idle_class = 3, class_shift = 13 };
    if (syscall(SYS_ioprio_set, thread, 0, idle_class << class_shift) < 0) return -errno;
    struct sched_param parameters = {0};
    return -pthread_setschedparam(pthread_self(), SCHED_IDLE, &parameters);
}

/// The removal of one tree. `failure` is the first reason why something could not be removed; everything else is still
/// removed.
struct removal {
    int top;
    unsigned long next;
    int failure;
};

static void stays(struct removal *job, int reason) {
    if (job->failure == 0) job->failure = reason;
}

/// Writes the id of the mount that an open file is in.
static int mount_of(int fd, uint64_t *mount) {
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) < 0) return -errno;
    if (!(status.stx_mask & STATX_MNT_ID)) return -ENOSYS;
    *mount = status.stx_mnt_id;
    return 0;
}

/// Opens a directory for reading, changing and moving, even if its mode denies that to its owner. Follows no symbolic
/// link and, with `beneath`, enters no other mount. Does not use openat2(2), which systemd's RestrictSUIDSGID= denies.
static int open_folder(int parent, const char *name, int beneath) {
    int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) return -errno;
    if (beneath) {
        uint64_t outer, inner;
        int outcome = mount_of(parent, &outer);
        if (outcome == 0) outcome = mount_of(place, &inner);
        if (outcome == 0 && outer != inner) outcome = -EBUSY;
        if (outcome < 0) {
            close(place);
            return outcome;
        }
    }
    struct stat status;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    // Uses the descriptor's path, because chmod(2) would follow a symbolic link that replaced the directory.
    if (fstat(place, &status) == 0 && (status.st_mode & 0700) != 0700) (void)chmod(path, 0700);
    int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int reason = errno;
    close(place);
    return folder < 0 ? -reason : folder;
}

/// Moves a directory up into the top directory, so that a deep tree needs no more descriptors, stack frames or path
/// length than a flat tree.
static int lift(struct removal *job, int parent, const char *name) {
    int folder = open_folder(parent, name, 1);  // A directory that its owner may not write cannot be moved (rename(2)).
    if (folder < 0) return folder;
    close(folder);
    for (;;) {
        char number[24];
        snprintf(number, sizeof number, "%lu", job->next++);
        if (renameat(parent, name, job->top, number) == 0) return 0;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR && errno != EISDIR) return -errno;
    }
}

static long empty(struct removal *job, int folder, int is_top);

/// Removes one entry of `folder`. Returns whether anything changed.
static int remove_entry(struct removal *job, int folder, const char *name, int is_top) {
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 1;
    int reason = errno;
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(status.st_mode)) {
        stays(job, reason);
        return 0;
    }
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0) return 1;
    if (!is_top) {
        int outcome = lift(job, folder, name);
        if (outcome < 0) stays(job, -outcome);
        return outcome == 0;
    }
    int inner = open_folder(folder, name, 1);
    if (inner < 0) {
        stays(job, -inner);
        return 0;
    }
    long changes = empty(job, inner, 0);
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0) return 1;
    stays(job, errno);
    return changes > 0;
}

/// Empties a directory and closes it. Returns the number of removed entries.
static long empty(struct removal *job, int folder, int is_top) {
    DIR *entries = fdopendir(folder);
    if (!entries) {
        stays(job, errno);
        close(folder);
        return 0;
    }
    long changes = 0;
    struct dirent *entry;
    while (errno = 0, (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        changes += remove_entry(job, dirfd(entries), entry->d_name, is_top);
    }
    if (errno != 0) stays(job, errno);
    closedir(entries);
    return changes;
}

int clinux_remove_tree(const char *path) {
    if (unlink(path) == 0 || errno == ENOENT) return 0;
    int reason = errno;
    struct stat status;
    if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode)) return -reason;
    struct removal job = {.top = open_folder(AT_FDCWD, path, 0), .next = 0, .failure = 0};
    if (job.top < 0) return job.top;
    // Each round removes the entries of the top two levels, except for the non-empty directories of the second level,
    // which it lifts. The last round changes nothing.
    for (;;) {
        job.failure = 0;
        int again = openat(job.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (again < 0) {
            stays(&job, errno);
            break;
        }
        if (empty(&job, again, 1) == 0) break;
    }
    close(job.top);
    if (job.failure) return -job.failure;
    return rmdir(path) < 0 && errno != ENOENT ? -errno : 0;
}

int clinux_mount_memory(const char *path, uid_t user, gid_t group, unsigned megabytes, int *swap_free) {
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    char options[128];
    // Inodes take memory that `size` does not count.
    int length = snprintf(options, sizeof options, "mode=0700,uid=%u,gid=%u,size=%um,nr_inodes=%u,noswap", user, group,
                          megabytes, megabytes * 64);
    if (length < 0 || (size_t)length >= sizeof options) return -EINVAL;
    *swap_free = mount("baton", path, "tmpfs", flags, options) == 0;
    if (*swap_free) return 0;
    if (errno != EINVAL) return -errno;
    options[length - (int)strlen(",noswap")] = 0;
    return result(mount("baton", path, "tmpfs", flags, options));
}

int clinux_unmount(const char *path) { return result(umount2(path, UMOUNT_NOFOLLOW)); }

int clinux_lock(int fd) { return result(flock(fd, LOCK_EX | LOCK_NB)); }

int clinux_tcp_owner(const void *peer, const void *local, uid_t *owner, uint32_t *inode) {
    struct sockaddr_in theirs, ours;
    memcpy(&theirs, peer, sizeof theirs);
    memcpy(&ours, local, sizeof ours);
    if (theirs.sin_family != AF_INET || ours.sin_family != AF_INET) return -EAFNOSUPPORT;
    int diagnosis = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (diagnosis < 0) return -errno;
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } question = {
        .header = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {
            .sdiag_family = AF_INET,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0u,
            .id = {
                .idiag_sport = theirs.sin_port,
                .idiag_dport = ours.sin_port,
                .idiag_src = {theirs.sin_addr.s_addr},
                .idiag_dst = {ours.sin_addr.s_addr},
                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
            },
        },
    };
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    union {
        struct nlmsghdr header;
        char bytes[1024];
    } answer;
    int outcome = 0;
    ssize_t count = -1;
    if (sendto(diagnosis, &question, sizeof question, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0
        || (count = recv(diagnosis, &answer, sizeof answer, 0)) < 0)
        outcome = -errno;
    close(diagnosis);
    if (outcome < 0) return outcome;
    if (!NLMSG_OK(&answer.header, (size_t)count)) return -EBADMSG;
    if (answer.header.nlmsg_type == NLMSG_ERROR && answer.header.nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
        int error = ((struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
        return error < 0 ? error : -EBADMSG;
    }
    if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY
        || answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
        return -EBADMSG;
    struct inet_diag_msg *found = NLMSG_DATA(&answer.header);
    // If the connection is gone, the kernel may return a listening socket on its port or a socket without an owner.
    if (found->idiag_state != TCP_ESTABLISHED || found->idiag_inode == 0
        || found->id.idiag_sport != theirs.sin_port || found->id.idiag_dport != ours.sin_port
        || found->id.idiag_src[0] != theirs.sin_addr.s_addr || found->id.idiag_dst[0] != ours.sin_addr.s_addr)
        return -ENOENT;
    *owner = found->idiag_uid;
    *inode = found->idiag_inode;
    return 0;
}

void clinux_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }
