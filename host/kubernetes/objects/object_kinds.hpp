/// The kinds of API objects that a snapshot is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "engine/snapshot/cluster_sink.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes::objects {

struct ObjectKind {
    std::string_view kind;   ///< "Pod"
    std::string_view group;  ///< the API group; empty: core
    bool has_namespace;
    engine::snapshot::ObjectKind object;  ///< the same kind in the engine's enumeration
    /// Decodes one object and sets it in the sink. False: the object was left out, and the problems
    /// of `object` say why.
    bool (*load)(const JsonCursor& object, engine::snapshot::ClusterSink& sink);
};

/// NULL: a snapshot does not need the kind. `api_version` is "v1" or "storage.k8s.io/v1"; if it is
/// empty, as for items of a list, any group matches. The version is ignored, because the members
/// that decoders read are the same in all versions.
const ObjectKind* find_kind(std::string_view kind, std::string_view api_version) noexcept;

/// The group in an apiVersion: "apps" of "apps/v1", empty of "v1".
std::string_view group_of(std::string_view api_version) noexcept;

// The name of an API object, for messages and caches. The object need not be decodable.

struct ObjectName {
    std::string ns{};  ///< empty if the kind has none
    std::string name{};
};
/// "shop/web", or the name alone.
std::string to_string(const ObjectName& name);

/// Absent: the object has no name.
std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object);

}  // namespace capstan::kubernetes::objects
