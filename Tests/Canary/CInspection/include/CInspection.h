// SPDX-License-Identifier: Apache-2.0
//
// zlib, and the kernel calls that the search for traces needs and that Swift's Glibc module does not provide. Every
// function returns 0 or a value on success and -errno on failure.
#ifndef CINSPECTION_H
#define CINSPECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

/// Reads the memory of another process (process_vm_readv(2)): at most `count` bytes, fewer if a page cannot be read.
ssize_t inspection_read_memory(pid_t pid, uint64_t address, void *bytes, size_t count);

/// The flag of open(2) that names a file without opening it (O_PATH).
extern const int inspection_path_only;

/// A descriptor of this process for the open file `number` of another process (pidfd_getfd(2)), close-on-exec.
int inspection_take_file(int pidfd, int number);

/// The number of files that a process may have open (prlimit(2)).
int64_t inspection_open_file_limit(pid_t pid);

/// The names of the extended attributes of a path, each ended by a zero. Follows no link. With `size` 0, returns the
/// length.
ssize_t inspection_attribute_names(const char *path, char *names, size_t size);
ssize_t inspection_attribute_value(const char *path, const char *name, void *value, size_t size);

#endif
