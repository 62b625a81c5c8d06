#include "kubernetes/metadata.hpp"

#include <cstdint>
#include <limits>
#include <string>

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

}  // namespace capstan::kubernetes
