// SPDX-License-Identifier: Apache-2.0
//
// One HTTPS GET through libcurl, whose variadic option functions Swift cannot call.
#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <stddef.h>

/// Receives a piece of the body; returns 0 to continue, anything else to abort.
typedef int (*curl_shim_body)(void *context, const char *bytes, size_t count);

/// Initializes libcurl. Call it once, before any thread starts.
int curl_shim_prepare(void);

/// Sends a GET to `url` (https only, no redirects, no proxy) with one additional header line.
///
/// `ca_file` (may be NULL) is the only trusted file of root certificates; `resolve` (may be NULL) is
/// `host:port:address`. Returns 0 and sets `status`, or returns a libcurl error number, which curl_shim_reason
/// explains.
int curl_shim_get(
    const char *url, const char *header, const char *ca_file, const char *resolve, curl_shim_body body, void *context,
    long *status);

const char *curl_shim_reason(int error);

#endif
