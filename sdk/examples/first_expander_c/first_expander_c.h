/* Keeps the options whose group has the most room left once it has grown: the growth after this one
 * is then the least likely to meet a maximum. */
#ifndef FIRST_EXPANDER_C_H
#define FIRST_EXPANDER_C_H

#include <capstan/abi/expander.h>

typedef struct first_expander_c_state {
    int64_t
        enough; /* room beyond it makes no difference: large groups tie, the next stage decides */
} first_expander_c_state;

/* How many nodes the option's group may still grow by afterwards, at most `enough`. A group that
 * names no maximum has room enough. */
int64_t first_expander_c_room(const first_expander_c_state* self, const capstan_option* option);

/* capstan_expander.filter; `self` is a first_expander_c_state. */
capstan_status first_expander_c_filter(void* self, const capstan_call* call,
                                       const capstan_expander_request* in,
                                       const capstan_expander_response* out);

#endif
