// SPDX-License-Identifier: Apache-2.0
//
// The kernel functions that Baton needs and that Swift's Glibc module does not expose: calls behind _GNU_SOURCE,
// variadic calls, and the CMSG macros. Unless stated otherwise, functions return 0 or a value on success and -errno on
// failure.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The process at the other end of a Unix socket, as the kernel recorded it at connect time (SO_PEERCRED).
struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

int clinux_peer_credentials(int socket, struct clinux_peer *peer);
/// Returns a pidfd of the process at the other end (SO_PEERPIDFD, Linux 6.5). Even if the pid is reused, the pidfd refers
/// to no other process.
int clinux_peer_process(int socket);

/// Creates an anonymous file in memory, close-on-exec. clinux_seal_size fixes its size; clinux_seal also fixes its
/// content.
int clinux_memory_file(const char *name);
int clinux_seal_size(int fd);
int clinux_seal(int fd);

int clinux_pidfd_open(pid_t pid);
int clinux_pidfd_send_signal(int pidfd, int signal);
/// Copies a descriptor of another process, close-on-exec. This process must be allowed to debug that one.
int clinux_pidfd_getfd(int pidfd, int descriptor);
/// Waits for the process of a pidfd and reaps it. `status` has the form of waitpid(2).
int clinux_reap(int pidfd, int *status);

/// Waits until the process of a pidfd has ended, without reaping it; any number of threads may wait.
int clinux_await_exit(int pidfd);

/// Starts `path` in its own process group with default signal handling and an empty signal mask. It gets only
/// `sources[i]` of the caller's open files, as `targets[i]`. Standard input, output and error are /dev/null unless they
/// are targets. A nonzero `keep_output` passes on the caller's output and error instead. Returns the pid.
int clinux_spawn(
    const char *path, char *const *arguments, char *const *environment, const int *sources, const int *targets,
    int count, int keep_output);

/// Replaces the program of this process with `path` (execve(2)). The process keeps its id, its environment, its signal
/// mask and the files in `kept`; all memory and every other open file above 2 are discarded. Ignored signals get their
/// default effect again. Returns only if it fails.
int clinux_become(const char *path, char *const *arguments, const int *kept, int count);

/// Whether this process has children, running or not yet reaped: 1, 0, or a negative error.
int clinux_has_children(void);

/// Asks the kernel to send `signal` to this process when its parent dies.
int clinux_die_with_parent(int signal);
/// Keeps this process out of core dumps and protects it from ptrace by processes of the same user.
int clinux_forbid_dumps(void);
/// Limits how many arenas malloc(3) makes (M_ARENA_MAX of mallopt(3)).
void clinux_share_arenas(int count);
/// Makes this process the parent of orphaned descendants, so that it can find and end them.
int clinux_adopt_orphans(void);

/// Returns a stream socket, close-on-exec, that is bound to `path` with the given mode and listens.
int clinux_listen(const char *path, mode_t mode, int backlog);
/// Returns a new eventfd(2) whose count is zero, close-on-exec.
int clinux_event(void);
/// Waits for the next connection. If `stop` is an eventfd, returns -EINVAL as soon as its count is not zero. If `stop`
/// is -1, there is no eventfd.
int clinux_accept(int listener, int stop);
int clinux_connect(const char *path);
int clinux_socket_pair(int ends[2]);

/// Sends one datagram to the Unix socket at `path`, with the open file `fd` attached unless `fd` is negative. A leading
/// '@' means the abstract namespace. If the socket is full, waits for `patience` milliseconds, then fails with EAGAIN.
int clinux_notify(const char *path, const char *message, int fd, int patience);

/// Whether `fd` is a listening Unix stream socket: 1, 0, or a negative error.
int clinux_listens(int fd);

/// Writes the path to which a Unix socket is bound, null-terminated. `path` needs at least 109 bytes.
int clinux_socket_path(int fd, char *path, size_t size);

/// Prevents the programs that this process starts from inheriting `fd`.
int clinux_close_on_exec(int fd);

/// Whether `fd` is a memory file: 1 or 0.
int clinux_is_memory_file(int fd);

/// Returns a datagram socket, close-on-exec, bound to `path` for this user only. Programs send READY=1 to it
/// (sd_notify(3)).
int clinux_bind_datagrams(const char *path);

/// Sends bytes with up to 8 descriptors attached to the first of them; never raises SIGPIPE. `flags` is 0 or
/// MSG_DONTWAIT.
ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *fds, int fd_count, int flags);
/// Receives bytes and up to `fd_capacity` (at most 8) descriptors, close-on-exec. `flags` is 0 or MSG_DONTWAIT.
ssize_t clinux_receive(
    int socket, void *bytes, size_t count, int *fds, int fd_capacity, int *fd_count, int flags);

/// Whether a file with this name exists, even a symbolic link: 1, 0, or a negative error. Does not access a file system
/// that is mounted at this path (O_PATH).
int clinux_exists(const char *path);

/// Calls open(2), for callers that must not follow symbolic links (O_NOFOLLOW) or that create files with a mode.
int clinux_open(const char *path, int flags, mode_t mode);

/// What statx(2) reports about a file.
struct clinux_status {
    uint64_t inode;
    int64_t size;
    /// The last change of content or attributes.
    int64_t changed_seconds;
    uint32_t changed_nanoseconds;
    uid_t owner;
    mode_t mode;
    /// Whether a file system is mounted here: 1 or 0.
    int is_mount;
};

/// Describes `name` in an open folder, or, if `name` is empty, the folder itself; AT_FDCWD stands for the working
/// directory. Follows no symbolic link, mounts nothing, and does not wait for the server of a file system
/// (AT_STATX_DONT_SYNC).
int clinux_status(int folder, const char *name, struct clinux_status *status);

/// Runs the calling thread, and its disk input, only when the machine has nothing else to do (sched(7), ioprio_set(2)).
int clinux_run_when_idle(void);

/// Removes `path` with everything in it, at any depth and whatever the modes of its directories. Follows no symbolic
/// link and enters no other mount: a mount point below `path` is not removed, nor are the files under the mount
/// (-EBUSY). A missing path is not an error. If something cannot be removed, returns the first reason; everything else
/// is removed.
int clinux_remove_tree(const char *path);
/// Takes an exclusive lock on an open file without waiting; returns -EWOULDBLOCK if another process has it.
int clinux_lock(int fd);

/// Mounts a file system in memory at `path`, of at most `megabytes`, for this user and group only. Programs on it
/// cannot be executed, and set-user-id bits and device files have no effect. Sets `swap_free` to 1 if the kernel keeps
/// the file system out of swap (Linux 6.4), else to 0.
int clinux_mount_memory(const char *path, uid_t user, gid_t group, unsigned megabytes, int *swap_free);
/// Unmounts `path` without following a link; -EBUSY while a process uses it.
int clinux_unmount(const char *path);

/// Whether the kernel's clock is synchronized with a time server (adjtimex(2)): 1, 0, or a negative error.
int clinux_clock_is_kept(void);

/// Gets the owner and the inode of the other end of a TCP connection within this machine (sock_diag(7)). The other end
/// is the established socket whose own address is `peer` and whose peer is `local`, both struct sockaddr_in. Returns
/// -ENOENT if there is no such socket, for example because it was closed; for a closed socket the kernel would report
/// user 0.
int clinux_tcp_owner(const void *peer, const void *local, uid_t *owner, uint32_t *inode);

/// Overwrites memory in a way that the compiler cannot optimise away.
void clinux_wipe(void *bytes, size_t count);

#endif
