#include "new_cloud_c.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;
#define EXPECT(condition)                                                        \
    do {                                                                         \
        if (condition) break;                                                    \
        fprintf(stderr, "%s:%d: expected " #condition "\n", __FILE__, __LINE__); \
        ++failures;                                                              \
    } while (0)

static const int64_t second = 1000000000;
static int32_t target;
static const char* why;

static capstan_str text(const char* s) {
    const capstan_str out = {s, strlen(s)};
    return out;
}
static new_cloud_c_state cloud_of(int64_t max) {
    const new_cloud_c_state out = {
        .group = text("web"), .max = max, .boot_ns = 30 * second, .next_number = 1};
    return out;
}
static capstan_resize change_of(int32_t delta, int32_t expected, const char* key) {
    const capstan_resize out = {.struct_size = sizeof out,
                                .delta = delta,
                                .group_id = text("web"),
                                .expected_target = expected,
                                .idempotency_key = text(key)};
    return out;
}

static void machines_run_when_they_have_booted(void) {
    new_cloud_c_state cloud = cloud_of(4);
    const capstan_resize two = change_of(2, 0, "");
    EXPECT(new_cloud_c_increase(&cloud, &two, 0, &target, &why) == CAPSTAN_OK && target == 2);
    EXPECT(!new_cloud_c_runs(&cloud, &cloud.machines[0], 30 * second - 1));
    EXPECT(new_cloud_c_runs(&cloud, &cloud.machines[0], 30 * second));
}

static void a_group_grows_neither_past_its_maximum_nor_from_an_outdated_target(void) {
    new_cloud_c_state cloud = cloud_of(4);
    const capstan_resize five = change_of(5, 0, ""), old = change_of(1, 3, ""),
                         none = change_of(0, 0, "");
    EXPECT(new_cloud_c_increase(&cloud, &five, 0, &target, &why) == CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT(new_cloud_c_increase(&cloud, &old, 0, &target, &why) == CAPSTAN_E_CONFLICT);
    EXPECT(new_cloud_c_increase(&cloud, &none, 0, &target, &why) == CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT(cloud.target == 0);
}

static void the_same_request_twice_has_one_effect(void) {
    new_cloud_c_state cloud = cloud_of(4);
    const capstan_resize one = change_of(1, 0, "k");
    EXPECT(new_cloud_c_increase(&cloud, &one, 0, &target, &why) == CAPSTAN_OK && target == 1);
    EXPECT(new_cloud_c_increase(&cloud, &one, 0, &target, &why) == CAPSTAN_OK && target == 1);
    EXPECT(cloud.target == 1);
}

static void only_machines_that_do_not_run_are_cancelled(void) {
    new_cloud_c_state cloud = cloud_of(4);
    const capstan_resize first = change_of(1, 0, "a"), second_one = change_of(1, 1, "b");
    new_cloud_c_increase(&cloud, &first, 0, &target, &why);
    new_cloud_c_increase(&cloud, &second_one, 20 * second, &target, &why);
    const capstan_resize both = change_of(2, 2, "c"), one = change_of(1, 2, "d");
    EXPECT(new_cloud_c_decrease(&cloud, &both, 30 * second, &target, &why) ==
           CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT(new_cloud_c_decrease(&cloud, &one, 30 * second, &target, &why) == CAPSTAN_OK &&
           target == 1);
}

static void a_machine_is_removed_by_its_id(void) {
    new_cloud_c_state cloud = cloud_of(4);
    const capstan_resize two = change_of(2, 0, "");
    char id[64];
    new_cloud_c_increase(&cloud, &two, 0, &target, &why);
    EXPECT(new_cloud_c_remove(&cloud, new_cloud_c_machine_id(&cloud.machines[0], id), &why) ==
           CAPSTAN_OK);
    EXPECT(cloud.target == 1 && cloud.machines[0].number == 2);
    EXPECT(new_cloud_c_remove(&cloud, text("other"), &why) == CAPSTAN_E_NOT_FOUND);
}

int main(void) {
    machines_run_when_they_have_booted();
    a_group_grows_neither_past_its_maximum_nor_from_an_outdated_target();
    the_same_request_twice_has_one_effect();
    only_machines_that_do_not_run_are_cancelled();
    a_machine_is_removed_by_its_id();
    return failures == 0 ? 0 : 1;
}
