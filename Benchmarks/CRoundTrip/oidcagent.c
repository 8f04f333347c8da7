// SPDX-License-Identifier: Apache-2.0
// oidc-agent's library is loaded when it is needed, so that the benchmark builds without oidc-agent's development
// package. The two functions are declared in oidc-agent/api.h.
#include "CRoundTrip.h"

#include <dlfcn.h>
#include <time.h>

static char *(*get_token)(const char *account, time_t least_life, const char *scope, const char *hint,
                          const char *audience);
static void (*free_token)(void *token);

const char *oidcagent_load(void) {
    void *library = dlopen("liboidc-agent.so.4", RTLD_NOW);
    if (!library) return dlerror();
    *(void **)&get_token = dlsym(library, "getAccessToken3");
    *(void **)&free_token = dlsym(library, "_secFree");
    return get_token && free_token ? NULL : dlerror();
}

int oidcagent_token(const char *account) {
    char *token = get_token(account, 120, NULL, "benchmark", NULL);
    if (!token) return -1;
    free_token(token);
    return 0;
}
