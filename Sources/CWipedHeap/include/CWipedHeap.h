// SPDX-License-Identifier: Apache-2.0
#pragma once

// Overwrites the memory that this program frees, so that what it has read and dropped does not stay in its heap. The
// program's own free(3) and realloc(3) take the place of glibc's, for all of its libraries.

#include <stdbool.h>

/// Returns whether libraries that call free(3) reach the function that overwrites memory.
bool cwipedheap_is_used(void);
