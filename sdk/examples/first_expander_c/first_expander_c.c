#include "first_expander_c.h"

#include <inttypes.h>
#include <stdio.h>

/* Steps by the stride, since the structs of a newer host may be longer. */
static const capstan_option* option_at(const capstan_expander_request* in, uint32_t i) {
    return (const capstan_option*)((const char*)in->options.data + (size_t)i * in->options.stride);
}

int64_t first_expander_c_room(const first_expander_c_state* self, const capstan_option* option) {
    const capstan_group* group = option->group;
    if (!(group->present & CAPSTAN_GROUP_MAX)) return self->enough;
    const int64_t target = group->present & CAPSTAN_GROUP_TARGET ? group->target : 0;
    const int64_t room = group->max - target - option->nodes;
    return room < 0 ? 0 : room > self->enough ? self->enough : room;
}

static void explain(const capstan_call* call, uint32_t kept, uint32_t all, int64_t room) {
    char sentence[128];
    const int length = snprintf(
        sentence, sizeof sentence,
        "keeps %" PRIu32 " of %" PRIu32 ": room for %" PRId64 " more afterwards", kept, all, room);
    const capstan_str text = {sentence, (size_t)length};
    call->explain(call, text);
}

capstan_status first_expander_c_filter(void* self, const capstan_call* call,
                                       const capstan_expander_request* in,
                                       const capstan_expander_response* out) {
    int64_t most = 0;
    for (uint32_t i = 0; i < in->options.count; ++i) {
        const int64_t room = first_expander_c_room(self, option_at(in, i));
        if (room > most) most = room;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < in->options.count; ++i) {
        if (first_expander_c_room(self, option_at(in, i)) != most) continue;
        out->keep(out, i, (double)most);
        ++kept;
    }
    explain(call, kept, in->options.count, most);
    return CAPSTAN_OK;
}
