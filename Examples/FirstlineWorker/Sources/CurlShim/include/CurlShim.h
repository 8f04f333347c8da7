// SPDX-License-Identifier: Apache-2.0
//
// One HTTPS GET through libcurl, whose option calls are variadic and so out of Swift's reach.
#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <stddef.h>

/// Receives a piece of the body; returns 0 to go on, anything else to give up.
typedef int (*curl_shim_body)(void *context, const char *bytes, size_t count);

/// Prepares libcurl; call it once, before any thread.
int curl_shim_prepare(void);

/// GETs `url` (https only, no redirects, no proxy) with one extra header line.
///
/// `ca_file` (may be NULL) is the only file of roots that is trusted; `resolve` (may be NULL) is `host:port:address`.
/// Returns 0 and the status, or a libcurl error number, which curl_shim_reason explains.
int curl_shim_get(
    const char *url, const char *header, const char *ca_file, const char *resolve, curl_shim_body body, void *context,
    long *status);

const char *curl_shim_reason(int error);

#endif
