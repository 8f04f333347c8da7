// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CInspection.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438 // the same number on every architecture
#endif

const int inspection_path_only = O_PATH;

static ssize_t outcome(ssize_t value) { return value < 0 ? -errno : value; }

ssize_t inspection_read_memory(pid_t pid, uint64_t address, void *bytes, size_t count) {
    struct iovec ours = {bytes, count}, theirs = {(void *)(uintptr_t)address, count};
    return outcome(process_vm_readv(pid, &ours, 1, &theirs, 1, 0));
}

int inspection_take_file(int pidfd, int number) {
    return (int)outcome(syscall(SYS_pidfd_getfd, pidfd, number, 0));
}

int64_t inspection_open_file_limit(pid_t pid) {
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_NOFILE, NULL, &limit) < 0) return -errno;
    return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_cur;
}

ssize_t inspection_attribute_names(const char *path, char *names, size_t size) {
    return outcome(llistxattr(path, names, size));
}

ssize_t inspection_attribute_value(const char *path, const char *name, void *value, size_t size) {
    return outcome(lgetxattr(path, name, value, size));
}
