/// The metadata of API objects: names, labels, times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/labels.hpp>
#include <capstan/time.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

struct ObjectMetadata {
    std::string ns = "default";  ///< without meaning for kinds that have no namespace
    std::string name{}, uid{};
    Labels labels{}, annotations{};
    Time created{};
    std::int64_t generation = 0;    ///< of the spec; 0: absent
    std::optional<Time> deleted{};  ///< deletionTimestamp; absent: the object is not being deleted
    /// False: name, namespace, uid or labels could not be read, so it is unknown which selectors
    /// match the object.
    bool is_identified = true;
};

/// From `metadata`. A missing name is not a problem.
ObjectMetadata decode_metadata(const JsonCursor& metadata);
/// From the `metadata` of `object`. A missing or empty name is a problem, and the object is then
/// not identified.
ObjectMetadata decode_named(const JsonCursor& object);

}  // namespace capstan::kubernetes
