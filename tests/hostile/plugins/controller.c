/* A controller that does nothing and reports one object. */
#include <string.h>

#include "misbehaving.h"

enum { problems_count = 100000 };

static capstan_status reconcile(void* of, capstan_op op, const capstan_reconcile* what) {
    const misbehaving* const self = of;
    static capstan_error problems[problems_count];
    (void)what;
    misbehave(self, "reconcile");
    capstan_reconciled done = {.struct_size = sizeof done,
                               .objects = 1,
                               .again_ns = 500000000,
                               .summary = TEXT("looked after one object")};
    if (breaks(self, "reconcile", "at_once_again")) done.again_ns = 0;
    if (breaks(self, "reconcile", "nonsense")) {
        done.objects = -5;
        done.again_ns = INT64_MAX;
        done.summary = TEXT("\xff\xfe not \x80 UTF-8");
    }
    if (breaks(self, "reconcile", "many_problems")) {
        for (uint32_t i = 0; i < problems_count; ++i)
            problems[i] = (capstan_error){.struct_size = sizeof *problems,
                                          .code = CAPSTAN_E_UNAVAILABLE,
                                          .message = TEXT("one more of its troubles"),
                                          .subject = TEXT("shop/web"),
                                          .retry_after_ms = -1};
        done.problems = ARRAY(problems, problems_count);
    }
    if (breaks(self, "reconcile", "small_result")) done.struct_size = 0;
    return end(self, "reconcile", op, CAPSTAN_RESULT_RECONCILED, &done);
}

void become_controller(misbehaving* self) {
    self->controller = (capstan_controller){sizeof self->controller, 0, self, reconcile};
    self->kind = CAPSTAN_KIND_CONTROLLER;
    self->table = &self->controller;
}
