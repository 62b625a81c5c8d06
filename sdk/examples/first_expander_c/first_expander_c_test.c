#include "first_expander_c.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;
#define EXPECT(condition)                                                        \
    do {                                                                         \
        if (condition) break;                                                    \
        fprintf(stderr, "%s:%d: expected " #condition "\n", __FILE__, __LINE__); \
        ++failures;                                                              \
    } while (0)

static capstan_group group(int32_t target, int32_t max) {
    return (capstan_group){.struct_size = sizeof(capstan_group),
                           .present = CAPSTAN_GROUP_TARGET | CAPSTAN_GROUP_MAX,
                           .max = max,
                           .target = target};
}
static capstan_option option(const capstan_group* group, int32_t nodes) {
    return (capstan_option){.struct_size = sizeof(capstan_option), .nodes = nodes, .group = group};
}

static void room_is_what_is_left_after_growing(void) {
    const first_expander_c_state logic = {.enough = 10};
    capstan_group some = group(3, 8);
    const capstan_option two_more = option(&some, 2);
    EXPECT(first_expander_c_room(&logic, &two_more) == 3);
    some.max = 100;
    EXPECT(first_expander_c_room(&logic, &two_more) == 10);
    some.max = 1;
    EXPECT(first_expander_c_room(&logic, &two_more) == 0);
    some.present = 0;
    EXPECT(first_expander_c_room(&logic, &two_more) == 10);
}

/* Records the options that are kept, as the host does. */
static int is_kept[3];
static void keep(const capstan_expander_response* out, uint32_t index, double score) {
    (void)out;
    (void)score;
    is_kept[index] = 1;
}
static char explanation[256];
static void explain(const capstan_call* call, capstan_str sentence) {
    (void)call;
    memcpy(explanation, sentence.ptr, sentence.len);
}

static void all_with_the_most_room_are_kept(void) {
    first_expander_c_state logic = {.enough = 10};
    const capstan_group a = group(1, 5), b = group(1, 100), c = group(1, 50);
    const capstan_option options[] = {option(&a, 1), option(&b, 1), option(&c, 1)};
    const capstan_expander_request in = {.struct_size = sizeof in,
                                         .options = {options, 3, sizeof(capstan_option)}};
    const capstan_expander_response out = {.struct_size = sizeof out, .keep = keep};
    const capstan_call call = {.struct_size = sizeof call, .explain = explain};
    EXPECT(first_expander_c_filter(&logic, &call, &in, &out) == CAPSTAN_OK);
    EXPECT(!is_kept[0] && is_kept[1] && is_kept[2]);
    EXPECT(strcmp(explanation, "keeps 2 of 3: room for 10 more afterwards") == 0);
}

int main(void) {
    room_is_what_is_left_after_growing();
    all_with_the_most_room_are_kept();
    return failures == 0 ? 0 : 1;
}
