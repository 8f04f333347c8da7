// SPDX-License-Identifier: Apache-2.0
#ifndef FILE_RECORDER_H
#define FILE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

/// The head of a recorded change. In the recording, the name and then the bytes follow it.
struct file_change {
    /// C created a file, M created a folder, L created a symbolic link (the bytes are its target), T truncated to
    /// `position`, W wrote at `position`, R renamed (the bytes are the new name), U removed, S synced, X a mark.
    uint64_t kind;
    /// The inode of the file, or of the folder whose entry changed.
    uint64_t inode;
    /// The inode of a new entry; for a rename, the inode of the new folder.
    uint64_t other;
    uint64_t position;
    uint64_t name_length;
    uint64_t bytes_length;
};

/// Begins to record the changes below `root` that any thread makes through the functions in recorder.c. Only one
/// recording may run at a time.
void file_recorder_begin(const char *root);

/// Adds a mark to the recording.
void file_recorder_mark(const char *text);

/// Ends the recording and returns its bytes, which the caller must free.
void *file_recorder_end(size_t *size);

/// Makes calls that change something below `root` fail with `reason`: call number `first`, counted from 1, and, if
/// `lasting`, all later ones. Calls that cannot fail for that reason succeed and are not counted. Must not be combined
/// with a recording.
void file_faults_begin(const char *root, uint64_t first, int reason, int lasting);

/// Ends the faults and returns the number of calls that were counted.
uint64_t file_faults_end(void);

#endif
