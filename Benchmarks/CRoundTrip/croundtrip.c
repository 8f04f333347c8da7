// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CRoundTrip.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIMIT = 1 << 20 };
static char buffer[LIMIT];

static int move(int socket, size_t count, int writes) {
    for (size_t done = 0; done < count;) {
        ssize_t moved = writes ? write(socket, buffer + done, count - done) : read(socket, buffer + done, count - done);
        if (moved <= 0) return -1;
        done += (size_t)moved;
    }
    return 0;
}

int croundtrip_pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) < 0 ? -errno : 0;
}

// A request begins with its length and the length of the reply.
static void serve(int socket) {
    uint32_t sizes[2];
    for (;;) {
        ssize_t first = read(socket, buffer, LIMIT);
        if (first < (ssize_t)sizeof sizes) return;
        __builtin_memcpy(sizes, buffer, sizeof sizes);
        if (sizes[0] > LIMIT || sizes[1] > LIMIT || (size_t)first > sizes[0]) return;
        if (move(socket, sizes[0] - (size_t)first, 0) < 0 || move(socket, sizes[1], 1) < 0) return;
    }
}

int croundtrip_start(int processor) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child > 0) {
        close(ends[1]);
        return ends[0];
    }
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (croundtrip_pin(processor) == 0) serve(ends[1]);
    _exit(0);
}

int croundtrip_once(int socket, size_t request, size_t reply) {
    uint32_t sizes[2] = {(uint32_t)request, (uint32_t)reply};
    __builtin_memcpy(buffer, sizes, sizeof sizes);
    return move(socket, request, 1) < 0 ? -1 : move(socket, reply, 0);
}
