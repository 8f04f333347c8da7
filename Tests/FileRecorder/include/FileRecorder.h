// SPDX-License-Identifier: Apache-2.0
#ifndef FILE_RECORDER_H
#define FILE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

/// A change in a folder. `name` and `bytes` follow the head in the recording.
struct file_change {
    /// C created, M made a folder, T truncated to `position`, W wrote, R renamed, U unlinked, S synced, X a mark.
    uint64_t kind;
    /// The inode of the file, or of the folder whose entry changed.
    uint64_t inode;
    /// The inode that a new entry names; for a rename, the folder of the new name.
    uint64_t other;
    uint64_t position;
    uint64_t name_length;
    uint64_t bytes_length;
};

/// Begins to record every change below `root` by any thread. One recording at a time.
void file_recorder_begin(const char *root);

/// Puts a mark between the changes.
void file_recorder_mark(const char *text);

/// Ends the recording. The caller must free it.
void *file_recorder_end(size_t *size);

/// Makes calls that change something below `root` fail with `reason`: the call with number `first`, counted from 1,
/// and, if `lasting`, all later ones. Calls that cannot fail for that reason succeed. Must not be combined with a
/// recording.
void file_faults_begin(const char *root, uint64_t first, int reason, int lasting);

/// Ends the faults. Returns the number of calls.
uint64_t file_faults_end(void);

#endif
