/// All clouds of a configuration as the engine sees them: one list of node groups.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>

#include "engine/health/known_groups.hpp"
#include "engine/snapshot.hpp"
#include "runtime/cloud_reader.hpp"
#include "runtime/config/pipeline.hpp"
#include "runtime/plugin_host.hpp"
#include "runtime/wiring.hpp"

namespace capstan::runtime {

/// What is known of all clouds. A value; refreshing makes a new one.
struct CloudsView {
    /// By id; not NULL. Without prices and options, which a pass asks for (pass_cycle.hpp). While
    /// no cloud says anything new, and nothing is in the way, it stays the same list, as do the
    /// machines below.
    std::shared_ptr<const std::vector<engine::Group>> groups =
        std::make_shared<const std::vector<engine::Group>>();
    /// What clouds would make groups of, in pipeline order; NULL: none makes any.
    std::shared_ptr<const std::vector<engine::CloudMachines>> machines{};
    /// What could not be read or is in the way, by cloud in pipeline order: each a sentence that
    /// names its cloud. `subject` is the group, where it is one's.
    std::vector<Error> problems{};
    /// Those that could not be read since the start: what groups they have is not known.
    engine::UnreadClouds unread{};
};

/// Reads all clouds at once. A cloud that cannot be read keeps the groups it had, as do groups it
/// calls unreadable. A group's template is asked for when its fingerprint changes, or each time
/// when it has none; one that cannot be had is left out, with the reason. Of two groups of one id
/// the one of the cloud that stands first in the pipeline counts, and the other is a problem.
/// [any thread]; `done` is called by the thread that runs the host's loop.
class Clouds : public std::enable_shared_from_this<Clouds> {
public:
    using Done = std::function<void(CloudsView)>;

    /// The clouds of the pipeline. `internal`: a name without an instance, unless it is `missing`
    /// because it has not started, or one that is no cloud. `gate`: see CloudClient.
    static Result<std::shared_ptr<Clouds>> make(const Pipeline& pipeline, const PluginHost& host,
                                                const ChangeGate& gate = {},
                                                Missing missing = Missing::is_wrong);
    Clouds(const Clouds&) = delete;
    Clouds& operator=(const Clouds&) = delete;

    /// Ends always: each call into a cloud has its deadline. While one is under way, a second joins
    /// it and gets its result.
    void refresh(Done done);
    /// The same, waited for; on virtual time the clock goes on as far as it takes.
    CloudsView refresh_now(PluginHost& host);
    /// As of the last refresh; empty before.
    CloudsView view() const;

    /// A cloud of the pipeline that has started since; read from the next refresh on. Until then it
    /// counts as one that could not be read. Nothing happens where it is none, or is there already.
    Result<void> join(std::shared_ptr<PluginInstance> instance);

    /// NULL: there is no such cloud, or it has not started.
    std::shared_ptr<CloudClient> find(const PluginInstanceId& cloud) const;
    /// Those that have started, in pipeline order.
    std::vector<std::shared_ptr<PluginInstance>> instances() const;

private:
    Clouds(std::vector<PluginInstanceId> ids, bool asks_machine_types, ChangeGate gate)
        : ids_(std::move(ids)),
          asks_machine_types_(asks_machine_types),
          gate_(std::move(gate)),
          readers_(ids_.size()) {}
    void read_all();
    void take(std::size_t cloud, CloudReading reading);
    CloudsView merged(std::vector<CloudReading> readings);

    const std::vector<PluginInstanceId> ids_;  ///< in pipeline order
    const bool asks_machine_types_;
    const ChangeGate gate_;
    mutable std::mutex mutex_;                           ///< guards what follows
    std::vector<std::shared_ptr<CloudReader>> readers_;  ///< by cloud; NULL: it has not started
    CloudsView view_;
    std::vector<CloudReading> merged_;  ///< what `view_` was made of, by cloud
    bool is_disputed_ = false;          ///< two of its clouds have a group of one id
    // The refresh under way; nobody waits: there is none.
    std::vector<Done> waiting_;
    std::vector<CloudReading> readings_;  ///< by cloud
    std::size_t open_ = 0;                ///< clouds that are still being read
};

}  // namespace capstan::runtime
