#include "kubernetes/owners.hpp"

#include <string>

#include "kubernetes/object_kinds.hpp"
#include "kubernetes/selectors.hpp"

namespace capstan::kubernetes {
namespace {

std::string decode_group(const JsonCursor& reference) {
    return std::string(group_of(reference["apiVersion"].text().value_or("")));
}

bool is_job(const JsonCursor& reference) {
    return reference["kind"].text() == "Job" && decode_group(reference) == "batch";
}

}  // namespace

engine::snapshot::PodOwner decode_owner(const JsonCursor& references) {
    engine::snapshot::PodOwner out;
    bool found = false;
    for (const JsonCursor& reference : references.items()) {
        out.job_among_owners = out.job_among_owners || is_job(reference);
        if (found || !reference["controller"].boolean().value_or(false)) continue;
        found = true;
        out.kind = decode_text(reference["kind"]);
        out.api_group = decode_group(reference);
        out.name = decode_text(reference["name"]);
        out.uid = decode_text(reference["uid"]);
    }
    return out;
}

}  // namespace capstan::kubernetes
