// SPDX-License-Identifier: Apache-2.0
//
// What Baton needs of the kernel and cannot reach through Swift's Glibc module: calls behind _GNU_SOURCE, variadic
// calls, and the CMSG macros. Every function returns 0 or a value on success and -errno on failure.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Who stands at the other end of a Unix socket, fixed by the kernel at connect time (SO_PEERCRED).
struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

int clinux_peer_credentials(int socket, struct clinux_peer *peer);
/// A pidfd of the process at the other end (SO_PEERPIDFD, Linux 6.5), which no reuse of its number can turn into another.
int clinux_peer_process(int socket);

/// An anonymous file in memory, close-on-exec; its size can be fixed with clinux_seal_size.
int clinux_memory_file(const char *name);
int clinux_seal_size(int fd);

int clinux_pidfd_open(pid_t pid);
int clinux_pidfd_send_signal(int pidfd, int signal);
/// Waits for the process of a pidfd and reaps it; the status is waitpid's.
int clinux_reap(int pidfd, int *status);

/// Waits until the process of a pidfd has ended, without reaping it; any number of threads may wait.
int clinux_await_exit(int pidfd);

/// Starts `path` in a process group of its own with default signals and an empty signal mask. Of the caller's open files
/// it gets `sources[i]` as number `targets[i]`, nothing else; 0, 1 and 2 are /dev/null where not named, or the
/// caller's 1 and 2 where `keep_output` is not 0. Gives the process number.
int clinux_spawn(
    const char *path, char *const *arguments, char *const *environment, const int *sources, const int *targets,
    int count, int keep_output);

/// Whether this process has any child, living or not yet reaped: 1 or 0.
int clinux_has_children(void);

/// Asks the kernel to send `signal` to this process when its parent dies.
int clinux_die_with_parent(int signal);
/// Keeps this process out of core dumps and out of reach of ptrace by processes of the same user.
int clinux_forbid_dumps(void);
/// Makes orphaned descendants children of this process, so that it can find and end them.
int clinux_adopt_orphans(void);

/// A stream socket, close-on-exec, bound to `path` with the given mode and listening.
int clinux_listen(const char *path, mode_t mode, int backlog);
int clinux_accept(int listener);
int clinux_connect(const char *path);
int clinux_socket_pair(int ends[2]);

/// Sends one datagram to the Unix socket at `path`, with the open file `fd` unless that is negative; a leading '@' names
/// the abstract namespace. Where the reader is behind it waits for `patience` milliseconds, then fails with EAGAIN.
int clinux_notify(const char *path, const char *message, int fd, int patience);

/// Whether `fd` is a Unix stream socket that listens: 1, 0, or a negative error.
int clinux_listens(int fd);

/// The path that a Unix socket is bound to, ended by a zero; at least 109 bytes.
int clinux_socket_path(int fd, char *path, size_t size);

/// Keeps `fd` from the programs that this process starts.
int clinux_close_on_exec(int fd);

/// Whether `fd` is a memory file: 1 or 0.
int clinux_is_memory_file(int fd);

/// A datagram socket, close-on-exec, bound to `path` for this user alone: where others send READY=1 (sd_notify(3)).
int clinux_bind_datagrams(const char *path);

/// Sends bytes with up to 8 descriptors attached to the first of them; never raises SIGPIPE.
ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *fds, int fd_count);
/// Receives bytes and up to `fd_capacity` (at most 8) descriptors, close-on-exec.
ssize_t clinux_receive(int socket, void *bytes, size_t count, int *fds, int fd_capacity, int *fd_count);

/// Whether something has this name, be it a link: 1, 0, or a negative error. What is mounted there is not asked (O_PATH).
int clinux_exists(const char *path);

/// open(2), for callers that must not follow links (O_NOFOLLOW) or create files with a mode.
int clinux_open(const char *path, int flags, mode_t mode);

/// Removes `path` with everything in it, however deep, and whatever the modes of its folders say to their owner. Follows
/// no link and enters no other mount: a mount point below stays, with what it hides (-EBUSY). Nothing there is no error;
/// where something stays, the result is the first reason, and everything else is gone.
int clinux_remove_tree(const char *path);
/// Takes an exclusive lock on an open file without waiting; -EWOULDBLOCK when another process has it.
int clinux_lock(int fd);

/// Whether a time server keeps the kernel's clock (adjtimex(2)): 1, 0, or a negative error.
int clinux_clock_is_kept(void);

/// Who owns the other end of a TCP connection within this machine (sock_diag(7)): the user of the established socket whose
/// own address is `peer` and whose peer is `local`, each a struct sockaddr_in. -ENOENT where there is none, such as a
/// socket that was closed meanwhile: for it the kernel would name user 0.
int clinux_tcp_owner(const void *peer, const void *local, uid_t *owner);

/// Overwrites memory in a way that the compiler may not leave out.
void clinux_wipe(void *bytes, size_t count);

#endif
