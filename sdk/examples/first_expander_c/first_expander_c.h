/* Keeps the options whose group has the most room left after the scale-up, so that the next one is
 * the least likely to reach a maximum. */
#ifndef FIRST_EXPANDER_C_H
#define FIRST_EXPANDER_C_H

#include <capstan/abi/expander.h>

typedef struct first_expander_c_state {
    /* Room for more nodes makes no difference: large groups tie, and the next expander decides. */
    int64_t enough;
} first_expander_c_state;

/* How many nodes the option's group can still get afterwards, at most `enough`. A group without a
 * maximum has room for `enough`. */
int64_t first_expander_c_room(const first_expander_c_state* self, const capstan_option* option);

/* capstan_expander.filter; `self` is a first_expander_c_state. */
capstan_status first_expander_c_filter(void* self, const capstan_call* call,
                                       const capstan_expander_request* in,
                                       const capstan_expander_response* out);

#endif
