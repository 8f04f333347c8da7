// SPDX-License-Identifier: Apache-2.0
#ifndef FILE_RECORDER_H
#define FILE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

/// What changed in a folder: `name` and `bytes` lie in the recording, behind the head.
struct file_change {
    /// C created, M made a folder, T cut to `position`, W wrote, R renamed, U unlinked, S synced, X a mark.
    uint64_t kind;
    /// The inode of the file, or of the folder whose entry changed.
    uint64_t inode;
    /// The inode that a new entry names; of a rename, the folder of the new name.
    uint64_t other;
    uint64_t position;
    uint64_t name_length;
    uint64_t bytes_length;
};

/// Begins to write down every change below `root`, of every thread; one recording at a time.
void file_recorder_begin(const char *root);

/// Puts a mark between the changes.
void file_recorder_mark(const char *text);

/// Ends the recording; the caller frees it.
void *file_recorder_end(size_t *size);

/// Has calls that change something below `root` fail with `reason`: the one of number `first`, counted from 1, and where
/// `lasting` all later ones. What cannot fail for that reason does not. Not together with a recording.
void file_faults_begin(const char *root, uint64_t first, int reason, int lasting);

/// Ends the failing; gives how many calls there were.
uint64_t file_faults_end(void);

#endif
