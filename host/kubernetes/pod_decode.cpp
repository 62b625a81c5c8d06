#include "kubernetes/pod_decode.hpp"

#include <cstdint>
#include <limits>

#include "kubernetes/node_selection.hpp"
#include "kubernetes/pod_requests.hpp"

namespace capstan::kubernetes {
namespace {

void decode_owner(const JsonPlace& references, PodClass& out) {
    for (const JsonPlace& reference : references.items()) {
        if (!reference["controller"].boolean().value_or(false)) continue;
        out.owner_kind = reference["kind"].text().value_or("");
        out.owner_name = reference["name"].text().value_or("");
        return;
    }
}

void decode_metadata(const JsonPlace& metadata, PodClass& out) {
    out.ns = metadata["namespace"].text().value_or("default");
    out.example = metadata["name"].text().value_or("");
    out.labels = metadata["labels"].labels();
    out.annotations = metadata["annotations"].labels();
    decode_owner(metadata["ownerReferences"], out);
}

void decode_spec(const JsonPlace& spec, PodClass& out) {
    using Priority = std::numeric_limits<std::int32_t>;
    const JsonPlace affinity = spec["affinity"]["nodeAffinity"];
    out.scheduler = spec["schedulerName"].text().value_or("default-scheduler");
    out.requests = decode_pod_requests(spec);
    out.node_selector = spec["nodeSelector"].labels();
    out.affinity_required = decode_required_affinity(affinity);
    out.affinity_preferred = decode_preferred_affinity(affinity);
    out.tolerations = decode_tolerations(spec["tolerations"]);
    out.priority = static_cast<std::int32_t>(
        spec["priority"].integer(Priority::min(), Priority::max()).value_or(0));
}

}  // namespace

PodClass decode_pod(const JsonPlace& pod) {
    PodClass out;
    decode_metadata(pod["metadata"], out);
    decode_spec(pod["spec"], out);
    return out;
}

}  // namespace capstan::kubernetes
