#include <curl/curl.h>
#include <signal.h>
#include <time.h>

// Swift imports neither variadic functions (curl_easy_setopt, curl_easy_getinfo) nor macros with casts.

static inline CURLcode shim_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode shim_curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

static inline CURLcode shim_curl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}

static inline CURLcode shim_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(handle, option, list);
}

// Returns the number of bytes that it copied into the buffer; 0 at the end.
typedef size_t (*shim_curl_reader)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode shim_curl_set_reader(CURL *handle, shim_curl_reader reader, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READDATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
}

// Called during a transfer, at least about once a second. Any value but 0 ends the transfer.
typedef int (*shim_curl_progress)(
    void *context, curl_off_t toReceive, curl_off_t received, curl_off_t toSend, curl_off_t sent);

static inline CURLcode shim_curl_set_progress(CURL *handle, shim_curl_progress progress, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

// The code of the server's last reply; 0 if it sent none.
static inline long shim_curl_reply(CURL *handle) {
    long reply = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply) == CURLE_OK ? reply : 0;
}

// Without signal handlers of its own (CURLOPT_NOSIGNAL), some versions of libcurl let a broken TLS connection raise SIGPIPE
// in the thread. These functions hold it for a thread, and discard it.
static inline sigset_t shim_curl_hold_sigpipe(void) {
    sigset_t pipe, former;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &former);
    return former;
}

static inline void shim_curl_release_sigpipe(sigset_t former) {
    sigset_t pipe;
    struct timespec none = {0, 0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (!sigismember(&former, SIGPIPE) && sigtimedwait(&pipe, NULL, &none) == SIGPIPE) {}
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}
