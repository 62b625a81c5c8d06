/// What every API object has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/labels.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

struct ObjectMetadata {
    std::string ns = "default";  ///< means nothing to kinds that have no namespace
    std::string name{}, uid{};
    Labels labels{}, annotations{};
    Time created{};
    std::int64_t generation = 0;    ///< of the spec; 0: it does not say
    std::optional<Time> deleted{};  ///< being deleted, and gone by then unless something holds it
    /// False: name, namespace or labels could not be read, so that it is unknown what selects the
    /// object.
    bool is_identified = true;
};

/// From `metadata`. A missing name is not complained about.
ObjectMetadata decode_metadata(const JsonCursor& metadata);
/// The same of an object that must have a name: with none it is not identified, and complained
/// about.
ObjectMetadata decode_named(const JsonCursor& object);

// The owner of a pod.

/// From `metadata.ownerReferences`.
engine::snapshot::PodOwner decode_owner(const JsonCursor& references);

// What an API object is called, also one that cannot be decoded.

struct ObjectKind;

struct ObjectName {
    std::string ns{};  ///< empty where the kind has none
    std::string name{};
};
/// "shop/web", or the name alone.
std::string to_string(const ObjectName& name);

/// Nothing: it does not say.
std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object);

}  // namespace capstan::kubernetes
