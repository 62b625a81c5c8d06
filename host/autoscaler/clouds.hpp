/// All clouds of a configuration as the engine sees them: one list of node groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "autoscaler/cloud_reader.hpp"
#include "autoscaler/plugin_host.hpp"
#include "autoscaler/wiring.hpp"
#include "config/pipeline.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/snapshot.hpp"

namespace capstan::autoscaler {

/// The answers of all clouds, merged. A value; each refresh makes a new one.
struct CloudsView {
    /// By id; not NULL. Prices and options are missing: a pass asks for them (pass_cycle.hpp). The
    /// list stays the same object while no cloud reports a change or a problem, and so does
    /// `machines`. Groups of a cloud that did not answer are as they were last, and unreadable.
    std::shared_ptr<const std::vector<engine::Group>> groups =
        std::make_shared<const std::vector<engine::Group>>();
    /// The machine types that clouds can create groups of, in pipeline order; NULL: no cloud
    /// creates groups.
    std::shared_ptr<const std::vector<engine::CloudMachines>> machines{};
    /// What could not be read, by cloud in pipeline order. Each message names its cloud; `subject`
    /// is the group, if the problem is about one.
    std::vector<Error> problems{};
    /// Clouds that have not been read since the start. Their groups are not known.
    engine::UnreadClouds unread{};
    engine::CloudViews cloud_views{};  ///< as clouds reported them for this view
    /// The state of each cloud, in pipeline order.
    std::vector<CloudState> states{};

    /// The results of refreshes that ended for this view, by cloud. Absent: the cloud answered.
    std::map<PluginInstanceId, std::optional<Error>> results() const;
};

/// How long a pass waits for a refresh.
struct RefreshPatience {
    /// From the start of the refresh. A cloud that takes longer is unresponsive; its refresh goes
    /// on.
    Duration unresponsive_after{};
    /// The same for a cloud that was unresponsive, until a refresh of it ends within
    /// `unresponsive_after` again. It is shorter, so that such a cloud delays each pass less.
    Duration unresponsive_again_after{};
    /// The age up to which a late answer is used without asking the cloud again.
    Duration late_answer_age{};
};
/// unresponsive_after is max(5 s, min(3 scan intervals, 15 s)), unresponsive_again_after at most
/// half a scan interval, and late_answer_age a scan interval more than unresponsive_after.
RefreshPatience patience_of(Duration scan_interval) noexcept;

/// Reads all clouds at once. Groups of a cloud that cannot be read, and groups that the cloud calls
/// unreadable, count as they were last, and no action is taken on them. A group's template is asked
/// for when its fingerprint changes, or at each refresh if it has none. If there is no template,
/// the view has the reason. Of two groups with the same id the one whose cloud comes first in the
/// pipeline counts, and the other one is a problem. A machine that two clouds list belongs to the
/// one that lists all machines with its prefix, otherwise to the one that listed it in the view
/// before, otherwise to the one that comes first in the pipeline. The group of the other cloud is
/// unreadable and does not have the machine.
class Clouds : public std::enable_shared_from_this<Clouds> {
public:
    /// How clouds that throttle or reject the credentials are refreshed.
    struct Restraint {
        /// Clouds that are not asked, each with the reason.
        std::map<PluginInstanceId, std::string> backed_off{};
        /// Clouds with a last refresh that was throttled: the refresh begins with one group.
        std::set<PluginInstanceId> probed{};
    };

    /// The clouds of the pipeline. `internal`: a name without an instance, unless `missing` says
    /// that the instance may start later, or an instance that is no cloud. `gate`: see CloudClient.
    static Result<std::shared_ptr<Clouds>> make(
        const config::Pipeline& pipeline, const PluginHost& host,
        const plugin_runtime::instances::ChangeGate& gate = {},
        Missing missing = Missing::is_wrong);
    Clouds(const Clouds&) = delete;
    Clouds& operator=(const Clouds&) = delete;

    /// The clouds of another pipeline, from the next refresh on. A cloud that was there before
    /// keeps its last answer and its refresh under way. Errors as of `make`; after an error nothing
    /// has changed.
    Result<void> set_pipeline(const config::Pipeline& pipeline, const PluginHost& host,
                              Missing missing = Missing::is_wrong);

    /// Takes effect with the next refresh. Absent, as at first: each refresh is waited for until
    /// its deadline.
    void set_patience(std::optional<RefreshPatience> patience);
    /// `on_late` is called, by any thread, when the refresh of a cloud that was unresponsive in the
    /// last view ends.
    void set_on_late(std::function<void()> on_late);

    /// Asks each cloud that is not backed off, and waits for the answers. On virtual time the
    /// clock goes on meanwhile. Groups of a cloud that is backed off stay as they were last, and
    /// are unreadable for the reason in `restraint`. A cloud is not asked again while its refresh
    /// is under way; a late answer is used by the next call. [one thread]
    CloudsView refresh_now(PluginHost& host, const Restraint& restraint);
    CloudsView refresh_now(PluginHost& host) { return refresh_now(host, Restraint()); }
    /// As of the last refresh_now; empty before the first one. [any thread]
    CloudsView view() const;

    /// Adds an instance that has started by now, if it is a cloud of the pipeline that has none
    /// yet. It is read from the next refresh on. Until then the cloud counts as one that has not
    /// been read.
    Result<void> join(std::shared_ptr<plugin_runtime::instances::PluginInstance> instance);

    /// NULL: there is no such cloud, or it has not started.
    std::shared_ptr<plugin_runtime::instances::CloudClient> find(
        const PluginInstanceId& cloud) const;
    /// The clouds that have started, in pipeline order.
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> instances() const;

private:
    struct Cloud {
        std::shared_ptr<CloudReader> reader{};  ///< NULL: it has not started
        CloudAnswers answers{};
    };

    explicit Clouds(plugin_runtime::instances::ChangeGate gate) : gate_(std::move(gate)) {}
    Result<std::shared_ptr<CloudReader>> make_reader(
        std::shared_ptr<plugin_runtime::instances::PluginInstance> instance) const;
    void ask(PluginHost& host, const Restraint& restraint);
    void await(PluginHost& host);
    std::optional<Duration> next_deadline(Duration now) const;
    void await_one(PluginHost& host, Duration deadline, std::uint64_t seen);
    void take(const PluginInstanceId& cloud, CloudReading reading, Duration now, Time wall);
    CloudsView merged(std::vector<CloudReading> readings);

    const plugin_runtime::instances::ChangeGate gate_;
    mutable std::mutex mutex_;           ///< guards what follows
    std::vector<PluginInstanceId> ids_;  ///< in pipeline order
    bool asks_machine_types_ = false;
    /// The clouds of the pipeline, and those of earlier ones: a refresh of such a cloud may still
    /// be under way when a pipeline names it again.
    std::map<PluginInstanceId, Cloud> clouds_;
    CloudsView view_;
    /// the readings that `view_` was made of, in pipeline order
    std::vector<CloudReading> merged_;
    bool is_disputed_ = false;  ///< two clouds of `view_` have a group with the same id
    std::optional<RefreshPatience> patience_{};
    std::function<void()> on_late_{};
    std::uint64_t ended_ = 0;  ///< refreshes that have ended since the start
    /// Called at the end of the next refresh; NULL: no thread waits.
    std::function<void()> waiting_{};
};

}  // namespace capstan::autoscaler
