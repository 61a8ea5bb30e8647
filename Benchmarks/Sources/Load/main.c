// Posts bodies over connections that stay open and prints how long all took.
//
//     Load PORT PATH HEADERS BODIES CONNECTIONS FIRST COUNT
//
// HEADERS: a file of header lines. BODIES: a file with one body a line, of which COUNT from FIRST are sent, each once. Where
// PATH is `-` each line is the path of a GET.
// Each answer must be 200; anything else ends the program.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static const char *path;
static char *headers, *text;
static char **bodies;
static size_t *lengths;
static long first, count;
static atomic_long next_body;

static void fail(const char *what) {
    fprintf(stderr, "Load: %s\n", what);
    exit(1);
}

static char *read_file(const char *name, size_t *length) {
    FILE *file = fopen(name, "rb");
    if (!file) { fail("a file cannot be read"); }
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(*length + 1);
    if (!content || fread(content, 1, *length, file) != *length) { fail("a file cannot be read"); }
    content[*length] = 0;
    fclose(file);
    return content;
}

static void send_all(int handle, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(handle, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) { fail("the connection broke while sending"); }
        bytes += sent;
        length -= (size_t)sent;
    }
}

// Reads one answer: its head, then as many bytes as it says.
static void receive_answer(int handle) {
    static _Thread_local char buffer[1 << 16];
    size_t filled = 0;
    char *end = NULL;
    while (!end) {
        ssize_t got = recv(handle, buffer + filled, sizeof buffer - 1 - filled, 0);
        if (got <= 0) { fail("the connection broke while receiving"); }
        filled += (size_t)got;
        buffer[filled] = 0;
        end = strstr(buffer, "\r\n\r\n");
        if (!end && filled == sizeof buffer - 1) { fail("an answer's head is too long"); }
    }
    if (strncmp(buffer, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "%.300s\n", buffer);
        fail("an answer is not 200");
    }
    char *field = strcasestr(buffer, "\r\ncontent-length:");
    size_t length = field && field < end ? strtoul(field + 17, NULL, 10) : 0;
    size_t have = filled - (size_t)(end + 4 - buffer);
    while (have < length) {
        ssize_t got = recv(handle, buffer, sizeof buffer, 0);
        if (got <= 0) { fail("the connection broke while receiving"); }
        have += (size_t)got;
    }
}

static void *work(void *unused) {
    (void)unused;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    int yes = 1;
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(handle, (struct sockaddr *)&address, sizeof address) != 0) { fail("the server cannot be reached"); }
    size_t room = 1 << 20;
    char *request = malloc(room);
    for (;;) {
        long number = atomic_fetch_add(&next_body, 1);
        if (number >= first + count) { break; }
        if (strcmp(path, "-") == 0) {
            size_t length = (size_t)snprintf(request, room, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n",
                                             bodies[number], headers);
            if (length >= room) { fail("a path is too long"); }
            send_all(handle, request, length);
            receive_answer(handle);
            continue;
        }
        size_t head = (size_t)snprintf(request, room, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %zu\r\n%s\r\n",
                                       path, lengths[number], headers);
        if (head + lengths[number] > room) { fail("a body is too large"); }
        memcpy(request + head, bodies[number], lengths[number]);
        send_all(handle, request, head + lengths[number]);
        receive_answer(handle);
    }
    close(handle);
    free(request);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: Load PORT PATH HEADERS BODIES CONNECTIONS FIRST COUNT\n");
        return 64;
    }
    port = atoi(argv[1]);
    path = argv[2];
    size_t length;
    char *lines = read_file(argv[3], &length);
    // Header lines end in CR LF on the wire.
    headers = calloc(1, 2 * length + 3);
    for (char *line = strtok(lines, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        strcat(headers, line);
        strcat(headers, "\r\n");
    }
    text = read_file(argv[4], &length);
    int connections = atoi(argv[5]);
    first = atol(argv[6]);
    count = atol(argv[7]);
    long capacity = 0, total = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (total == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            bodies = realloc(bodies, (size_t)capacity * sizeof *bodies);
            lengths = realloc(lengths, (size_t)capacity * sizeof *lengths);
        }
        bodies[total] = line;
        lengths[total] = strlen(line);
        total += 1;
    }
    if (first + count > total) { fail("there are not so many bodies"); }
    atomic_store(&next_body, first);
    pthread_t *threads = calloc((size_t)connections, sizeof *threads);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int index = 0; index < connections; index++) { pthread_create(&threads[index], NULL, work, NULL); }
    for (int index = 0; index < connections; index++) { pthread_join(threads[index], NULL); }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    printf("{\"posts\":%ld,\"seconds\":%.6f}\n", count, seconds);
    return 0;
}
