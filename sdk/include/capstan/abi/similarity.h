/* capstan/abi/similarity.h - "capstan.similarity/1": whether new nodes of two groups count as the same. */
#ifndef CAPSTAN_ABI_SIMILARITY_H
#define CAPSTAN_ABI_SIMILARITY_H

#include "call.h"
#include "model.h"

CAPSTAN_BEGIN_DECLS

#define CAPSTAN_KIND_SIMILARITY "capstan.similarity/1"

enum {
    CAPSTAN_SIMILARITY_DIFFERS = 0, /* not similar; an unknown value means this, too */
    CAPSTAN_SIMILARITY_AGREES = 1,  /* similar, if every other check agrees */
    CAPSTAN_SIMILARITY_DECIDED = 2  /* similar, whatever the other checks say */
};

/** Flags of the table. */
enum { CAPSTAN_SIMILARITY_MAY_DECIDE = 1u /* may answer DECIDED, whatever the hashes */ };

typedef struct capstan_similarity_response {
    uint32_t struct_size;
    uint32_t reserved;
    void *ctx;
    /** Gives the answer and its reason, a sentence with numbers; copied. Exactly once per call. */
    void (*answer)(const struct capstan_similarity_response *out, int32_t verdict,
                   capstan_str because) CAPSTAN_NOEXCEPT;
} capstan_similarity_response;

typedef struct capstan_similarity {
    uint32_t struct_size;
    uint32_t flags; /* CAPSTAN_SIMILARITY_MAY_DECIDE */
    void *self;
    /** [compute] Symmetric: (a, b) and (b, a) give the same verdict. */
    capstan_status (*similar)(void *self, const capstan_call *call, const capstan_template *a,
                              const capstan_template *b, const capstan_similarity_response *out)
        CAPSTAN_NOEXCEPT;
    /** [compute] (optional) A hash of the template. For templates with different hashes only checks
     *  with CAPSTAN_SIMILARITY_MAY_DECIDE are asked, so that 1000 groups do not cost half a million
     *  calls. So templates on which `similar` may answer AGREES must have equal hashes; equal
     *  hashes alone mean nothing. */
    capstan_status (*bucket)(void *self, const capstan_call *call, const capstan_template *node,
                             uint64_t *hash) CAPSTAN_NOEXCEPT;
    /** [compute] (optional) A hash of all that `similar` reads. Templates with equal hashes must be
     *  interchangeable: `similar` gives them the same verdict with any other template. If all checks
     *  have this hook, the host asks `similar` about one template of each hash, so that 2000 groups
     *  of 50 machine types cost about 1000 calls and not two million. */
    capstan_status (*equivalence)(void *self, const capstan_call *call, const capstan_template *node,
                                  uint64_t *hash) CAPSTAN_NOEXCEPT;
} capstan_similarity;

CAPSTAN_END_DECLS
#endif
