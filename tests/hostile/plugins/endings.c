/* Valid and invalid ends of operations. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misbehaving.h"

typedef struct late_end {
    const misbehaving* self;
    capstan_op op;
    uint32_t type;
    const void* result;
} late_end;

static void end_late(void* user, capstan_status status) {
    late_end* const late = user;
    (void)status;
    late->self->ops->complete(late->self->host, late->op, late->type, late->result);
    free(late);
}

/* Long after the deadline and its grace period. */
static void put_off(const misbehaving* self, capstan_op op, uint32_t type, const void* result) {
    late_end* const late = malloc(sizeof *late);
    if (late == NULL) return;
    *late = (late_end){self, op, type, result};
    self->exec->after(self->host, 8000000000, end_late, late, NULL);
}

capstan_status fail_with(const misbehaving* self, capstan_op op, int32_t code, int64_t retry_ms) {
    const capstan_error error = {.struct_size = sizeof error,
                                 .code = code,
                                 .message = TEXT("the cloud's API said no"),
                                 .retry_after_ms = retry_ms};
    self->ops->fail(self->host, op, &error);
    return CAPSTAN_OK;
}

/* Counts in an environment variable, because each retry creates a new instance. */
static bool is_among_first_two(void) {
    const char* const before = getenv("MISBEHAVING_TRIES");
    const int tries = before == NULL ? 0 : atoi(before);
    char text[word_size];
    snprintf(text, sizeof text, "%d", tries + 1);
    setenv("MISBEHAVING_TRIES", text, 1);
    return tries < 2;
}

static bool is_one_of(const char* act, const char* const* names, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(act, names[i]) == 0) return true;
    return false;
}

static capstan_status end_badly(const misbehaving* self, capstan_op op, uint32_t type,
                                const void* result) {
    const char* const act = self->act;
    const capstan_ops* const ops = self->ops;
    if (strcmp(act, "late") == 0) put_off(self, op, type, result);
    if (strcmp(act, "twice") == 0) {
        ops->complete(self->host, op, type, result);
        ops->complete(self->host, op, type, result);
    }
    if (strcmp(act, "wrong_type") == 0) ops->complete(self->host, op, type + 1, result);
    if (strcmp(act, "no_result") == 0) ops->complete(self->host, op, type, NULL);
    if (strcmp(act, "other_op") == 0) {
        ops->complete(self->host, op + 1, type, result);
        ops->complete(self->host, ~(capstan_op)0, type, result);
        return fail_with(self, op, CAPSTAN_E_INTERNAL, -1);
    }
    if (strcmp(act, "fail_null") == 0) ops->fail(self->host, op, NULL);
    if (strcmp(act, "fail_ok") == 0) return fail_with(self, op, CAPSTAN_OK, -1);
    if (strcmp(act, "unknown_status") == 0) return 4711;
    if (strcmp(act, "throttled") == 0) return fail_with(self, op, CAPSTAN_E_THROTTLED, 600000);
    if (strcmp(act, "unavailable") == 0) return fail_with(self, op, CAPSTAN_E_UNAVAILABLE, -1);
    if (strcmp(act, "unauthenticated") == 0)
        return fail_with(self, op, CAPSTAN_E_UNAUTHENTICATED, -1);
    if (strcmp(act, "unavailable_twice") == 0) {
        if (is_among_first_two()) return fail_with(self, op, CAPSTAN_E_UNAVAILABLE, -1);
        ops->complete(self->host, op, type, result);
    }
    return CAPSTAN_OK;
}

capstan_status end(const misbehaving* self, const char* at, capstan_op op, uint32_t type,
                   const void* result) {
    static const char* const bad[] = {"never",
                                      "late",
                                      "twice",
                                      "wrong_type",
                                      "no_result",
                                      "other_op",
                                      "fail_null",
                                      "fail_ok",
                                      "unknown_status",
                                      "throttled",
                                      "unavailable",
                                      "unauthenticated",
                                      "unavailable_twice"};
    if (strcmp(self->at, at) == 0 && is_one_of(self->act, bad, sizeof bad / sizeof *bad))
        return end_badly(self, op, type, result);
    self->ops->complete(self->host, op, type, result);
    return CAPSTAN_OK;
}
