// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CWipedHeap.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// glibc's own functions, under names that still refer to them when a program replaces the public functions.
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

void free(void *block) {
    if (block == NULL) return;
    int error = errno;
    explicit_bzero(block, malloc_usable_size(block));
    __libc_free(block);
    errno = error;
}

// This function is replaced, too, because glibc's realloc moves a block without calling free.
void *realloc(void *block, size_t size) {
    if (block == NULL) return __libc_malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t had = malloc_usable_size(block);
    // A block that stays at least half full is not moved.
    if (size <= had && size >= had / 2) return block;
    void *moved = __libc_malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, block, had < size ? had : size);
    free(block);
    return moved;
}

bool cwipedheap_is_used(void) { return dlsym(RTLD_DEFAULT, "free") == (void *)free; }
