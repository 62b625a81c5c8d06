#include "kubernetes/metadata.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/object_kinds.hpp"
#include "kubernetes/selectors.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes {

ObjectMetadata decode_metadata(const JsonCursor& metadata) {
    const Complaints complaints(metadata);
    ObjectMetadata out{.ns = std::string(metadata["namespace"].text().value_or("default")),
                       .name = std::string(metadata["name"].text().value_or("")),
                       .uid = std::string(metadata["uid"].text().value_or("")),
                       .labels = metadata["labels"].labels()};
    out.is_identified = !complaints.any();
    out.annotations = metadata["annotations"].labels();
    out.created = decode_timestamp(metadata["creationTimestamp"]).value_or(Time());
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    out.generation = metadata["generation"].integer(0, most).value_or(0);
    out.deleted = decode_timestamp(metadata["deletionTimestamp"]);
    return out;
}

ObjectMetadata decode_named(const JsonCursor& object) {
    const JsonCursor metadata = object.required("metadata");
    const bool has_name = metadata.required("name").name().has_value();
    ObjectMetadata out = decode_metadata(metadata);
    out.is_identified = out.is_identified && has_name;
    return out;
}

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

std::string to_string(const ObjectName& name) {
    return name.ns.empty() ? name.name : name.ns + "/" + name.name;
}

std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object) {
    ObjectName out{.name = std::string(base::text_at(object, "metadata.name"))};
    if (out.name.empty()) return std::nullopt;
    if (!kind.has_namespace) return out;
    out.ns = base::text_at(object, "metadata.namespace");
    if (out.ns.empty()) out.ns = "default";
    return out;
}

}  // namespace capstan::kubernetes
