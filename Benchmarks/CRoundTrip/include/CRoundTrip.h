// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// Starts a child process on this processor that answers each request. Returns the connected socket, or a negative
/// error. Call it before the process has other threads.
int croundtrip_start(int processor);

/// Sends `request` bytes and waits for `reply` bytes; both are at least 8 and at most 1 MiB. Returns 0, or -1 if the
/// child is gone.
int croundtrip_once(int socket, size_t request, size_t reply);

/// Runs the calling thread, and the threads that it starts later, on one processor. Returns 0 or a negative error.
int croundtrip_pin(int processor);

/// Loads oidc-agent's library. Returns NULL on success. After a failure, returns the reason, which remains valid until
/// the next call.
const char *oidcagent_load(void);

/// Gets an account's cached access token from the oidc-agent whose socket OIDC_SOCK names. Returns 0, or -1 if there is
/// no token. Call it after `oidcagent_load`.
int oidcagent_token(const char *account);
