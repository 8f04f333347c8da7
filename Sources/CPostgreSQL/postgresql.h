// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library (libpq, Debian: libpq-dev).
#include <libpq-fe.h>
