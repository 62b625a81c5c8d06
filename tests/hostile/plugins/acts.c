/* Misbehaviour that any function of a plugin can show. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "misbehaving.h"

enum { threads_count = 200, lines_count = 20000, memory_max_mib = 1536 };

bool breaks(const misbehaving* self, const char* at, const char* act) {
    return strcmp(self->at, at) == 0 && strcmp(self->act, act) == 0;
}

void pause_for_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

void start_thread(void* (*run)(void*), void* with) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, with) == 0) pthread_detach(thread);
}

/* volatile: the compiler must not know the values. */
static int* volatile nowhere = NULL;
static volatile bool for_ever = true;

static void segv(const misbehaving* self) {
    (void)self;
    *nowhere = 1;
}

static int descend(volatile int depth) {
    volatile char frame[4096];
    memset((char*)frame, depth, sizeof frame);
    return for_ever ? descend(depth + 1) + frame[depth % 4096] : 0;
}
static void overflow(const misbehaving* self) {
    (void)self;
    descend(0);
}

static void give_bad_pointer(const misbehaving* self) {
    const capstan_array none = {NULL, 0, 0};
    self->log->write(self->host, CAPSTAN_LOG_ERROR, (capstan_str){(const char*)16, 4096}, none);
}

static void abort_all(const misbehaving* self) {
    (void)self;
    abort();
}
static void exit_well(const misbehaving* self) {
    (void)self;
    exit(0);
}
static void exit_at_once(const misbehaving* self) {
    (void)self;
    _exit(7);
}
static void be_killed(const misbehaving* self) {
    (void)self;
    kill(getpid(), SIGKILL);
    pause_for_ms(1000);
}
static void throw_exception(const misbehaving* self) {
    (void)self;
    throw_through_c();
}
static void exit_thread(const misbehaving* self) {
    (void)self;
    pthread_exit(NULL);
}

static void spin(const misbehaving* self) {
    (void)self;
    while (for_ever) {
    }
}
static void sleep_for_ever(const misbehaving* self) {
    (void)self;
    while (for_ever) pause_for_ms(3600000);
}
static void be_slow(const misbehaving* self) {
    (void)self;
    pause_for_ms(1500);
}
/* Bounded, to protect the machine. */
static void allocate(const misbehaving* self) {
    for (int i = 0; i < memory_max_mib / 16; ++i) {
        char* const block = malloc(16u << 20);
        if (block == NULL) break;
        for (size_t at = 0; at < 16u << 20; at += 4096) *(volatile char*)(block + at) = 1;
        pause_for_ms(10);
    }
    sleep_for_ever(self);
}

static void close_descriptors(const misbehaving* self) {
    (void)self;
    close_range(3, 999, 0);
}
static void ignore_signals(const misbehaving* self) {
    (void)self;
    const int all[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) signal(all[i], SIG_IGN);
}
static void do_nothing(int signal_number) { (void)signal_number; }
static void handle_signals(const misbehaving* self) {
    (void)self;
    const int all[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) signal(all[i], do_nothing);
}
static void block_signals(const misbehaving* self) {
    (void)self;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}
static void raise_sigpipe(const misbehaving* self) {
    (void)self;
    int ends[2];
    if (pipe(ends) != 0) return;
    close(ends[0]);
    if (write(ends[1], "x", 1) < 0) close(ends[1]);
}

static void* sleep_in_thread(void* self) {
    sleep_for_ever(self);
    return NULL;
}
static void start_threads(const misbehaving* self) {
    for (int i = 0; i < threads_count; ++i) start_thread(sleep_in_thread, (void*)self);
}
static void limit_files(const misbehaving* self) {
    (void)self;
    const struct rlimit few = {16, 16};
    setrlimit(RLIMIT_NOFILE, &few);
}
static void change_process(const misbehaving* self) {
    (void)self;
    if (chdir("/") != 0) abort();
    umask(0);
    setenv("KUBECONFIG", "/nowhere", 1);
    setenv("TZ", "Pacific/Kiritimati", 1);
}
/* The child inherits the open files of the process, and keeps running. */
static void fork_child(const misbehaving* self) {
    (void)self;
    if (fork() != 0) return;
    pause_for_ms(15000);
    _exit(0);
}
/* The child returns to the host, as a twin of the process. */
static void fork_twin(const misbehaving* self) {
    (void)self;
    if (fork() < 0) abort();
}
static void limit_file_size(const misbehaving* self) {
    (void)self;
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    FILE* const file = tmpfile();
    if (file == NULL) return;
    fputs("x", file);
    fclose(file);
}
static void print(const misbehaving* self) {
    (void)self;
    for (int i = 0; i < 100; ++i) puts("printed by a plugin");
    fflush(stdout);
}
static void log_much(const misbehaving* self) {
    static char huge[1 << 20];
    const capstan_array none = {NULL, 0, 0};
    memset(huge, 0xff, sizeof huge);
    self->log->write(self->host, CAPSTAN_LOG_ERROR, (capstan_str){huge, sizeof huge}, none);
    for (int i = 0; i < lines_count; ++i)
        self->log->write(self->host, CAPSTAN_LOG_INFO, TEXT("the same again"), none);
}

static const struct {
    const char* name;
    void (*run)(const misbehaving* self);
} acts[] = {
    {"segv", segv},
    {"overflow", overflow},
    {"bad_pointer", give_bad_pointer},
    {"abort", abort_all},
    {"exit", exit_well},
    {"exit_at_once", exit_at_once},
    {"be_killed", be_killed},
    {"throw", throw_exception},
    {"exit_thread", exit_thread},
    {"spin", spin},
    {"sleep", sleep_for_ever},
    {"be_slow", be_slow},
    {"allocate", allocate},
    {"close_descriptors", close_descriptors},
    {"ignore_signals", ignore_signals},
    {"handle_signals", handle_signals},
    {"block_signals", block_signals},
    {"raise_sigpipe", raise_sigpipe},
    {"start_threads", start_threads},
    {"limit_files", limit_files},
    {"change_process", change_process},
    {"fork", fork_child},
    {"fork_twin", fork_twin},
    {"limit_file_size", limit_file_size},
    {"print", print},
    {"log_much", log_much},
};

void misbehave(const misbehaving* self, const char* at) {
    if (strcmp(self->at, at) != 0) return;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; ++i)
        if (strcmp(self->act, acts[i].name) == 0) acts[i].run(self);
}
