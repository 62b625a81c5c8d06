/// The store's objects as the engine's predicates want them, kept up to date.
#pragma once

#include <functional>

#include "engine/snapshot/cluster_builder.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "simulation/control_plane/context/control_context.hpp"

namespace capstan::simulation::control_plane {

/// Holds what the store holds, also of changes that were not told yet where they come first to
/// another object's. [the loop's thread]
class SchedulingView {
public:
    /// `changed` is called when something did that a cluster shows.
    SchedulingView(ControlContext& context, std::function<void()> changed);
    SchedulingView(const SchedulingView&) = delete;
    SchedulingView& operator=(const SchedulingView&) = delete;

    /// With the scheduler's default constraints.
    engine::snapshot::Cluster cluster() {
        return engine::snapshot::with_default_spread(builder_.build(),
                                                     context_.options().default_spread);
    }
    /// A pod has its node now; said by the scheduler that bound it, before the change arrives.
    void bind(const json::object& pod, std::string_view node);

private:
    void follow(const api_server::ResourceKind& kind, const api_server::Change& change);
    void load(const api_server::ResourceKind& kind, const json::object& object);

    ControlContext& context_;
    std::function<void()> changed_;
    engine::snapshot::ClusterBuilder builder_;
};

}  // namespace capstan::simulation::control_plane
