// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "FileRecorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Replacements for functions of the C library that change files. Each one calls the kernel directly. During a
// recording, it records the change. While faults are active, it may fail instead. The code under test needs no change.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int recording;
static volatile int faulty;
static uint64_t calls, fails_from;
static int fail_reason, fails_on;
static char root[PATH_MAX];
static char *log_bytes;
static size_t log_size, log_room;

static void append(const void *bytes, size_t count) {
    if (log_size + count > log_room) {
        log_room = (log_size + count) * 2;
        log_bytes = realloc(log_bytes, log_room);
        if (!log_bytes) abort();
    }
    if (count) memcpy(log_bytes + log_size, bytes, count);
    log_size += count;
}

static void note(
    char kind, uint64_t inode, uint64_t other, uint64_t position, const char *name, const void *bytes, size_t count) {
    struct file_change change = {(uint64_t)kind, inode, other, position, strlen(name), count};
    append(&change, sizeof change);
    append(name, strlen(name));
    append(bytes, count);
}

void file_recorder_begin(const char *path) {
    pthread_mutex_lock(&lock);
    if (!realpath(path, root)) abort();
    log_bytes = NULL;
    log_size = log_room = 0;
    recording = 1;
    pthread_mutex_unlock(&lock);
}

void file_recorder_mark(const char *text) {
    pthread_mutex_lock(&lock);
    if (recording) note('X', 0, 0, 0, text, NULL, 0);
    pthread_mutex_unlock(&lock);
}

void *file_recorder_end(size_t *size) {
    pthread_mutex_lock(&lock);
    recording = 0;
    *size = log_size;
    void *bytes = log_bytes;
    log_bytes = NULL;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void file_faults_begin(const char *path, uint64_t first, int reason, int lasting) {
    pthread_mutex_lock(&lock);
    if (!realpath(path, root)) abort();
    calls = 0;
    fails_from = first;
    fail_reason = reason;
    fails_on = lasting;
    faulty = 1;
    pthread_mutex_unlock(&lock);
}

uint64_t file_faults_end(void) {
    pthread_mutex_lock(&lock);
    faulty = 0;
    uint64_t seen = calls;
    pthread_mutex_unlock(&lock);
    return seen;
}

/// Counts a call that changes something below the root. Returns whether it must fail. The caller must hold the lock.
static int fails(void) {
    if (!faulty) return 0;
    calls++;
    return fails_on ? calls >= fails_from : calls == fails_from;
}

/// The place of an entry: the inode of its folder, which is 0 outside `root`, and the last part of its path.
struct place {
    uint64_t folder;
    char name[NAME_MAX + 1];
};

static int is_below(const char *path) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int path_of(int fd, char *path) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, path, PATH_MAX - 1);
    if (count < 0) return 0;
    path[count] = 0;
    return 1;
}

static struct place place_of(int folder, const char *path) {
    struct place place = {0, ""};
    char whole[PATH_MAX * 2], parent[PATH_MAX];
    if (path[0] == '/') snprintf(whole, sizeof whole, "%s", path);
    else {
        if (folder == AT_FDCWD ? !getcwd(parent, sizeof parent) : !path_of(folder, parent)) return place;
        snprintf(whole, sizeof whole, "%s/%s", parent, path);
    }
    char *slash = strrchr(whole, '/');
    if (!slash || strlen(slash + 1) > NAME_MAX) return place;
    strcpy(place.name, slash + 1);
    *slash = 0;
    struct stat status;
    if (!realpath(whole, parent) || !is_below(parent) || stat(parent, &status) < 0) return place;
    place.folder = status.st_ino;
    return place;
}

static uint64_t inode_at(int folder, const char *path) {
    struct stat status;
    return fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : status.st_ino;
}

/// Returns the inode of a file or folder; 0 outside `root` and for anything else, such as a pipe or a socket.
static uint64_t inode_of(int fd) {
    char path[PATH_MAX];
    struct stat status;
    if (!path_of(fd, path) || !is_below(path) || fstat(fd, &status) < 0) return 0;
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? status.st_ino : 0;
}

static int open_recorded(int folder, const char *path, int flags, mode_t mode) {
    if (!(recording || faulty) || !(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, folder, path, flags, mode);
    pthread_mutex_lock(&lock);
    struct place place = place_of(folder, path);
    uint64_t before = inode_at(folder, path);
    // Opening an existing file needs no space.
    if (place.folder && !(before && fail_reason == ENOSPC) && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode), reason = errno;
    if (recording && fd >= 0 && place.folder) {
        uint64_t after = inode_at(folder, path);
        if (!before) note('C', place.folder, after, 0, place.name, NULL, 0);
        else if (flags & O_TRUNC) note('T', after, 0, 0, "", NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = reason;
    return fd;
}

#define WITH_MODE(last) \
    mode_t mode = 0; \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { \
        va_list rest; \
        va_start(rest, last); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    WITH_MODE(flags)
    return open_recorded(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    WITH_MODE(flags)
    return open_recorded(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    WITH_MODE(flags)
    return open_recorded(folder, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    if (!recording && !faulty) return syscall(SYS_write, fd, bytes, count);
    pthread_mutex_lock(&lock);
    uint64_t inode = inode_of(fd);
    if (inode && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    if (!recording) inode = 0;
    off_t position = 0;
    if (inode) position = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    if (!inode) pthread_mutex_unlock(&lock);  // A write to a pipe or a socket may block.
    ssize_t written = syscall(SYS_write, fd, bytes, count);
    int reason = errno;
    if (inode) {
        if (written > 0) note('W', inode, 0, (uint64_t)position, "", bytes, (size_t)written);
        pthread_mutex_unlock(&lock);
    }
    errno = reason;
    return written;
}

int ftruncate(int fd, off_t length) {
    pthread_mutex_lock(&lock);
    if (faulty && inode_of(fd) && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    int outcome = (int)syscall(SYS_ftruncate, fd, length), reason = errno;
    uint64_t inode = recording && outcome == 0 ? inode_of(fd) : 0;
    if (inode) note('T', inode, 0, (uint64_t)length, "", NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = reason;
    return outcome;
}

static int sync_recorded(long call, int fd) {
    if (faulty) {
        pthread_mutex_lock(&lock);
        int failed = inode_of(fd) && fails();
        pthread_mutex_unlock(&lock);
        if (failed) {
            errno = fail_reason;
            return -1;
        }
    }
    int outcome = (int)syscall(call, fd), reason = errno;
    if (recording && outcome == 0) {
        pthread_mutex_lock(&lock);
        uint64_t inode = recording ? inode_of(fd) : 0;
        if (inode) note('S', inode, 0, 0, "", NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    errno = reason;
    return outcome;
}

int fsync(int fd) { return sync_recorded(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_recorded(SYS_fdatasync, fd); }

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    pthread_mutex_lock(&lock);
    struct place old = {0, ""}, new = {0, ""};
    if (recording || faulty) {
        old = place_of(from_folder, from);
        new = place_of(to_folder, to);
    }
    if (new.folder && inode_at(from_folder, from) && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    int outcome = (int)syscall(SYS_renameat, from_folder, from, to_folder, to), reason = errno;
    if (recording && outcome == 0 && old.folder && new.folder)
        note('R', old.folder, new.folder, 0, old.name, new.name, strlen(new.name));
    pthread_mutex_unlock(&lock);
    errno = reason;
    return outcome;
}

int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int folder, const char *path, int flags) {
    pthread_mutex_lock(&lock);
    struct place place = {0, ""};
    if (recording || faulty) place = place_of(folder, path);
    // A call that only removes something needs no space.
    if (place.folder && fail_reason != ENOSPC && inode_at(folder, path) && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    int outcome = (int)syscall(SYS_unlinkat, folder, path, flags), reason = errno;
    if (recording && outcome == 0 && place.folder) note('U', place.folder, 0, 0, place.name, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = reason;
    return outcome;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t mode) {
    pthread_mutex_lock(&lock);
    struct place place = {0, ""};
    if (recording || faulty) place = place_of(folder, path);
    if (place.folder && !inode_at(folder, path) && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    int outcome = (int)syscall(SYS_mkdirat, folder, path, mode), reason = errno;
    if (recording && outcome == 0 && place.folder) note('M', place.folder, inode_at(folder, path), 0, place.name, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = reason;
    return outcome;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int symlinkat(const char *target, int folder, const char *path) {
    pthread_mutex_lock(&lock);
    struct place place = {0, ""};
    if (recording || faulty) place = place_of(folder, path);
    if (place.folder && !inode_at(folder, path) && fails()) {
        pthread_mutex_unlock(&lock);
        errno = fail_reason;
        return -1;
    }
    int outcome = (int)syscall(SYS_symlinkat, target, folder, path), reason = errno;
    if (recording && outcome == 0 && place.folder)
        note('L', place.folder, inode_at(folder, path), 0, place.name, target, strlen(target));
    pthread_mutex_unlock(&lock);
    errno = reason;
    return outcome;
}

int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }
