/* An expander that keeps the first option. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misbehaving.h"

static const capstan_option* first_of(const capstan_expander_request* in) {
    return in->options.data;
}

static const capstan_expander_response* kept_out;

static void* keep_late(void* self) {
    (void)self;
    pause_for_ms(300);
    for (uint32_t i = 0; i < 1000; ++i) kept_out->keep(kept_out, 0, 1);
    return NULL;
}

/* Overwrites the options and their groups, whose memory belongs to the host. */
static void write_through_const(const capstan_expander_request* in) {
    for (uint32_t i = 0; i < in->options.count; ++i) {
        capstan_option* const option =
            (capstan_option*)((char*)in->options.data + (size_t)i * in->options.stride);
        memset((void*)(uintptr_t)option->group, 0x7f, sizeof(capstan_group));
        memset(option, 0x7f, sizeof *option);
    }
}

static void explain_much(const capstan_call* call) {
    static char sentence[2048];
    memset(sentence, 'x', sizeof sentence);
    for (int i = 0; i < 1000000; ++i) call->explain(call, (capstan_str){sentence, sizeof sentence});
}
static void explain_huge(const capstan_call* call) {
    const size_t size = (size_t)64 << 20;
    char* const huge = malloc(size);
    if (huge == NULL) return;
    memset(huge, 0xfe, size);
    for (int i = 0; i < 100; ++i) call->explain(call, (capstan_str){huge, size});
    free(huge);
}

static capstan_status report(const capstan_call* call, int32_t code) {
    const capstan_error error = {.struct_size = sizeof error,
                                 .code = code,
                                 .message = TEXT("no score to be had"),
                                 .retry_after_ms = -1};
    return call->fail(call, &error);
}

static capstan_status filter(void* of, const capstan_call* call, const capstan_expander_request* in,
                             const capstan_expander_response* out) {
    const misbehaving* const self = of;
    misbehave(self, "filter");
    if (breaks(self, "filter", "keep_none")) return CAPSTAN_OK;
    if (breaks(self, "filter", "keep_beyond")) out->keep(out, in->options.count + 3, 1);
    if (breaks(self, "filter", "keep_nan")) out->keep(out, 0, (double)NAN);
    if (breaks(self, "filter", "unknown_status")) return 4711;
    if (breaks(self, "filter", "negative_status")) return INT32_MIN;
    if (breaks(self, "filter", "fail_null")) return call->fail(call, NULL);
    if (breaks(self, "filter", "fail_ok")) {
        report(call, CAPSTAN_OK);
        return CAPSTAN_E_INTERNAL;
    }
    if (breaks(self, "filter", "write_through_const")) write_through_const(in);
    if (breaks(self, "filter", "explain_much")) explain_much(call);
    if (breaks(self, "filter", "explain_huge")) explain_huge(call);
    if (breaks(self, "filter", "keep_without_end"))
        for (int i = 0; i < 5000000; ++i) out->keep(out, 0, 1);
    if (breaks(self, "filter", "keep_late")) {
        kept_out = out;
        start_thread(keep_late, NULL);
    }
    if (in->options.count > 0 && first_of(in) != NULL) out->keep(out, 0, 1);
    return CAPSTAN_OK;
}

void become_expander(misbehaving* self) {
    self->expander = (capstan_expander){sizeof self->expander, 0, self, filter};
    if (breaks(self, "create", "no_filter")) self->expander.filter = NULL;
    if (breaks(self, "create", "small_table")) self->expander.struct_size = 0;
    self->kind = CAPSTAN_KIND_EXPANDER;
    self->table = &self->expander;
}
