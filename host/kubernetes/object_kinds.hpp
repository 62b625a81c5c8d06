/// The kinds of API objects that a snapshot is made of.
#pragma once

#include <string_view>

#include "engine/snapshot/cluster_sink.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes {

struct ObjectKind {
    std::string_view kind;   ///< "Pod"
    std::string_view group;  ///< of the API; empty: the core's
    bool has_namespace;
    engine::snapshot::ObjectKind object;  ///< the same kind, for the removal of objects
    /// Decodes one object and hands it on. False: it was left out, and the place
    /// complained about says why.
    bool (*load)(const JsonCursor& object, engine::snapshot::ClusterSink& sink);
};

/// NULL: no snapshot has a use for it. `api_version` is "v1", "storage.k8s.io/v1"; empty where a
/// list leaves it out: any group. Versions are not told apart, for the members read here are the
/// same in all.
const ObjectKind* find_kind(std::string_view kind, std::string_view api_version) noexcept;

/// The group in an apiVersion: "apps" of "apps/v1", nothing of "v1".
std::string_view group_of(std::string_view api_version) noexcept;

}  // namespace capstan::kubernetes
