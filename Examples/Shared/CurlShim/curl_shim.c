// SPDX-License-Identifier: Apache-2.0
#include "CurlShim.h"

#include <curl/curl.h>

struct sink {
    curl_shim_body body;
    void *context;
};

static size_t receive(char *bytes, size_t size, size_t count, void *pointer) {
    struct sink *sink = pointer;
    return sink->body(sink->context, bytes, size * count) == 0 ? size * count : 0;
}

int curl_shim_prepare(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

int curl_shim_get(
    const char *url, const char *header, const char *ca_file, const char *resolve, curl_shim_body body, void *context,
    long *status) {
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, header);
    struct curl_slist *addresses = resolve ? curl_slist_append(NULL, resolve) : NULL;
    struct sink sink = {.body = body, .context = context};
    int outcome = CURLE_OUT_OF_MEMORY;
    if (curl && headers && (addresses || !resolve)) {
        curl_easy_setopt(curl, CURLOPT_URL, url);
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
        curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 5L);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT, 15L);
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        if (addresses) curl_easy_setopt(curl, CURLOPT_RESOLVE, addresses);
        if (ca_file) {
            curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file);
            curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
        }
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
        outcome = curl_easy_perform(curl);
        if (outcome == CURLE_OK) outcome = curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    }
    curl_slist_free_all(headers);
    curl_slist_free_all(addresses);
    curl_easy_cleanup(curl);
    return outcome;
}

const char *curl_shim_reason(int error) { return curl_easy_strerror(error); }
