#include "new_cloud_c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int is_same(capstan_str a, capstan_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static capstan_status refuse(capstan_status status, const char* sentence, const char** why) {
    *why = sentence;
    return status;
}

/* The response to an earlier request with this key, or NULL. A request without a key is always
 * new. */
static const int32_t* find_answer(const new_cloud_c_state* self, capstan_str key) {
    for (uint32_t i = 0; key.len > 0 && i < NEW_CLOUD_C_KEYS_MAX; ++i) {
        const capstan_str known = {self->answered[i].key, strlen(self->answered[i].key)};
        if (is_same(known, key)) return &self->answered[i].answer;
    }
    return NULL;
}

static void keep_answer(new_cloud_c_state* self, capstan_str key) {
    const uint32_t at = self->answers++ % NEW_CLOUD_C_KEYS_MAX;
    if (key.len == 0 || key.len >= sizeof self->answered[at].key) return;
    memcpy(self->answered[at].key, key.ptr, key.len);
    self->answered[at].key[key.len] = '\0';
    self->answered[at].answer = self->target;
}

/* Rejects an unknown group, a change by less than one machine, and a target that has changed since
 * the host decided. */
static capstan_status check_resize(const new_cloud_c_state* self, const capstan_resize* resize,
                                   const char** why) {
    if (!is_same(resize->group_id, self->group))
        return refuse(CAPSTAN_E_NOT_FOUND, "unknown group", why);
    if (resize->delta < 1)
        return refuse(CAPSTAN_E_INVALID_ARGUMENT, "the change must be at least one machine", why);
    if (resize->expected_target != self->target)
        return refuse(CAPSTAN_E_CONFLICT, "the target has changed", why);
    return CAPSTAN_OK;
}

int new_cloud_c_runs(const new_cloud_c_state* self, const new_cloud_c_machine* machine,
                     int64_t now_ns) {
    return now_ns - machine->requested_ns >= self->boot_ns;
}

capstan_status new_cloud_c_increase(new_cloud_c_state* self, const capstan_resize* resize,
                                    int64_t now_ns, int32_t* target, const char** why) {
    const int32_t* const known = find_answer(self, resize->idempotency_key);
    if (known != NULL) return *target = *known, CAPSTAN_OK;
    const capstan_status status = check_resize(self, resize, why);
    if (status != CAPSTAN_OK) return status;
    if (resize->delta > self->max - self->target)
        return refuse(CAPSTAN_E_INVALID_ARGUMENT, "above the group's maximum", why);
    for (int32_t i = 0; i < resize->delta; ++i) {
        const new_cloud_c_machine machine = {self->next_number++, now_ns};
        self->machines[self->target++] = machine;
    }
    keep_answer(self, resize->idempotency_key);
    *target = self->target;
    return CAPSTAN_OK;
}

capstan_status new_cloud_c_decrease(new_cloud_c_state* self, const capstan_resize* resize,
                                    int64_t now_ns, int32_t* target, const char** why) {
    const int32_t* const known = find_answer(self, resize->idempotency_key);
    if (known != NULL) return *target = *known, CAPSTAN_OK;
    const capstan_status status = check_resize(self, resize, why);
    if (status != CAPSTAN_OK) return status;
    int32_t open = 0;
    while (open < self->target &&
           !new_cloud_c_runs(self, &self->machines[self->target - 1 - open], now_ns))
        ++open;
    if (resize->delta > open)
        return refuse(CAPSTAN_E_INVALID_ARGUMENT, "only fewer requests can be cancelled", why);
    self->target -= resize->delta;
    keep_answer(self, resize->idempotency_key);
    *target = self->target;
    return CAPSTAN_OK;
}

capstan_status new_cloud_c_remove(new_cloud_c_state* self, capstan_str machine_id,
                                  const char** why) {
    for (int32_t i = 0; i < self->target; ++i) {
        char text[64];
        if (!is_same(new_cloud_c_machine_id(&self->machines[i], text), machine_id)) continue;
        --self->target;
        memmove(&self->machines[i], &self->machines[i + 1],
                (size_t)(self->target - i) * sizeof self->machines[0]);
        return CAPSTAN_OK;
    }
    return refuse(CAPSTAN_E_NOT_FOUND, "no such machine in this group", why);
}

capstan_str new_cloud_c_machine_id(const new_cloud_c_machine* machine, char* out) {
    const int length = snprintf(out, 64, "new_cloud_c://%" PRId64, machine->number);
    const capstan_str id = {out, (size_t)length};
    return id;
}
