/* A cloud with one group, "rogue", whose machines never join. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "misbehaving.h"

enum { groups_max = 10, machine_cores = 4 };

static const capstan_kv labels[] = {{{"rogue", 5}, {"true", 4}}};
/* Only pods that tolerate this taint fit. */
static const capstan_taint taints[] = {{{"rogue", 5}, {"true", 4}, CAPSTAN_EFFECT_NO_SCHEDULE, 0}};
static const int64_t machine_memory = (int64_t)16 << 30;

static void draw_groups(misbehaving* self) {
    for (int i = 0; i < 2; ++i)
        self->groups[i] =
            (capstan_group){.struct_size = sizeof(capstan_group),
                            .present = CAPSTAN_GROUP_MIN | CAPSTAN_GROUP_MAX | CAPSTAN_GROUP_TARGET,
                            .id = TEXT("rogue"),
                            .max = groups_max,
                            .target = self->target,
                            .template_fingerprint = TEXT("one")};
}

static void draw_machines(misbehaving* self) {
    for (int i = 0; i < self->target && i < machines_max; ++i) {
        const int length = snprintf(self->ids[i], word_size, "rogue://rogue/%d", i);
        self->machines[i] = (capstan_machine){.struct_size = sizeof(capstan_machine),
                                              .state = CAPSTAN_MACHINE_REQUESTED,
                                              .id = {self->ids[i], (size_t)length},
                                              .group_id = TEXT("rogue")};
    }
}

/* Makes groups and machines invalid; the view has two of each if necessary. */
static void spoil(misbehaving* self) {
    capstan_group* const group = &self->groups[0];
    capstan_machine* const machine = &self->machines[0];
    if (breaks(self, "refresh", "same_groups")) self->view.groups.count = 2;
    if (breaks(self, "refresh", "min_above_max")) group->min = groups_max + 5;
    if (breaks(self, "refresh", "no_utf8")) group->id = TEXT("\xff\xfe\x80");
    if (breaks(self, "refresh", "nameless_group")) group->id = TEXT("");
    if (breaks(self, "refresh", "negative_target")) group->target = INT32_MIN;
    if (breaks(self, "refresh", "endless_target")) group->max = group->target = INT32_MAX;
    if (breaks(self, "refresh", "null_text")) group->id = (capstan_str){NULL, 5};
    if (breaks(self, "refresh", "small_group")) group->struct_size = 4;
    if (breaks(self, "refresh", "null_groups")) self->view.groups = (capstan_array){NULL, 7, 96};
    if (breaks(self, "refresh", "no_stride")) self->view.groups.stride = 0;
    if (breaks(self, "refresh", "small_view")) self->view.struct_size = 0;
    if (breaks(self, "refresh", "same_machines")) {
        self->target = self->target > 2 ? self->target : 2;
        draw_groups(self);
        draw_machines(self);
        self->machines[1].id = machine->id;
        self->view.machines.count = 2;
    }
    if (breaks(self, "refresh", "unknown_state")) {
        self->target = self->target > 1 ? self->target : 1;
        draw_groups(self);
        draw_machines(self);
        machine->state = 99;
        self->view.machines.count = 1;
    }
    if (breaks(self, "refresh", "million_groups")) self->view.groups.count = 1000000;
    if (breaks(self, "refresh", "million_machines")) self->view.machines.count = 1000000;
    /* Of the other cloud, which has had it for a while. */
    if (breaks(self, "refresh", "foreign_machine") && ++self->refreshes > 10) {
        self->target = 1;
        draw_groups(self);
        draw_machines(self);
        machine->id = TEXT("simulated://web-a/1");
        machine->state = CAPSTAN_MACHINE_FAILED;
        self->view.machines.count = 1;
    }
    if (breaks(self, "refresh", "stray_machine")) {
        self->target = 1;
        draw_machines(self);
        machine->group_id = TEXT("elsewhere");
        self->view.machines.count = 1;
    }
}

static void cancelled(void* of, capstan_op op) {
    const misbehaving* const self = of;
    misbehave(self, "on_cancel");
    if (!breaks(self, "on_cancel", "never")) fail_with(self, op, CAPSTAN_E_CANCELLED, -1);
}

static capstan_status refresh(void* of, capstan_op op, const capstan_refresh_request* request) {
    (void)request;
    misbehaving* const self = of;
    misbehave(self, "refresh");
    if (strcmp(self->at, "on_cancel") == 0) {
        self->ops->on_cancel(self->host, op, cancelled, self);
        return CAPSTAN_OK;
    }
    draw_groups(self);
    draw_machines(self);
    self->view = (capstan_cloud_view){.struct_size = sizeof self->view,
                                      .complete = 1,
                                      .groups = ARRAY(self->groups, 1),
                                      .machines = ARRAY(self->machines, self->target)};
    spoil(self);
    return end(self, "refresh", op, CAPSTAN_RESULT_CLOUD_VIEW, &self->view);
}

static void do_nothing(void* self, capstan_status status) {
    (void)self;
    (void)status;
}

static capstan_status increase(void* of, capstan_op op, const capstan_resize* resize) {
    misbehaving* const self = of;
    misbehave(self, "increase");
    /* Stands for a request to the API of the cloud. */
    const capstan_status lent = self->exec->post(self->host, do_nothing, NULL);
    if (lent != CAPSTAN_OK) return lent;
    if (strcmp(self->at, "increase") != 0) self->target += resize->delta;
    capstan_resized now = {sizeof now, self->target, NULL};
    if (breaks(self, "increase", "negative_target")) now.target = -7;
    return end(self, "increase", op, CAPSTAN_RESULT_RESIZED, &now);
}

static capstan_status decrease_target(void* of, capstan_op op, const capstan_resize* resize) {
    misbehaving* const self = of;
    misbehave(self, "decrease_target");
    self->target -= resize->delta;
    const capstan_resized now = {sizeof now, self->target, NULL};
    return end(self, "decrease_target", op, CAPSTAN_RESULT_RESIZED, &now);
}

static capstan_status remove_machines(void* of, capstan_op op, const capstan_removal* removal) {
    misbehaving* const self = of;
    (void)removal;
    return fail_with(self, op, CAPSTAN_E_UNSUPPORTED, -1);
}

static capstan_status describe(void* of, capstan_op op, const capstan_describe_request* request) {
    const capstan_str group = request->group_id;
    const misbehaving* const self = of;
    const capstan_quantity has[] = {
        {TEXT("cpu"), machine_cores * 1000}, {TEXT("memory"), machine_memory}, {TEXT("pods"), 110}};
    const capstan_quantity nonsense[] = {{TEXT("cpu"), -4000}, {TEXT("memory"), INT64_MIN}};
    misbehave(self, "describe");
    capstan_template node = {.struct_size = sizeof node,
                             .variants = 1,
                             .name = group,
                             .labels = ARRAY(labels, 1),
                             .taints = ARRAY(taints, 1),
                             .capacity = ARRAY(has, 3),
                             .allocatable = ARRAY(has, 3),
                             .fingerprint = TEXT("one")};
    if (breaks(self, "describe", "negative")) node.capacity = node.allocatable = ARRAY(nonsense, 2);
    return end(self, "describe", op, CAPSTAN_RESULT_TEMPLATE, &node);
}

static capstan_status price(void* of, const capstan_call* call, const capstan_group* group,
                            const capstan_template* node, capstan_price* out) {
    const misbehaving* const self = of;
    (void)call;
    (void)group;
    (void)node;
    misbehave(self, "price");
    out->present = CAPSTAN_PRICE_PER_HOUR;
    out->per_hour = breaks(self, "price", "nan") ? (double)NAN : 0.1;
    memcpy(out->currency, "USD", 4);
    if (breaks(self, "price", "no_utf8")) memset(out->currency, 0xff, sizeof out->currency);
    return breaks(self, "price", "unknown_status") ? 4711 : CAPSTAN_OK;
}

static capstan_status options(void* of, const capstan_call* call, const capstan_group* group,
                              capstan_group_options* out) {
    const misbehaving* const self = of;
    (void)call;
    (void)group;
    misbehave(self, "options");
    if (breaks(self, "options", "nonsense")) {
        out->present = UINT64_MAX;
        out->utilization_threshold = (double)NAN;
        out->gpu_utilization_threshold = -1e300;
        out->unneeded_ns = out->unready_ns = out->max_provision_ns = INT64_MIN;
    }
    return breaks(self, "options", "unknown_status") ? 4711 : CAPSTAN_OK;
}

void become_cloud(misbehaving* self) {
    self->cloud = (capstan_cloud){sizeof self->cloud, 0, self, refresh, increase, decrease_target,
                                  remove_machines};
    self->templates = (capstan_cloud_templates){sizeof self->templates, 0, self, describe};
    self->pricing = (capstan_cloud_pricing){sizeof self->pricing, 0, self, price};
    self->options = (capstan_cloud_options){sizeof self->options, 0, self, options};
    self->kind = CAPSTAN_KIND_CLOUD;
    self->table = &self->cloud;
}
