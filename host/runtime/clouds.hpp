/// All clouds of a configuration as the engine sees them: one list of node groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

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
    /// machines below. Groups of a cloud that did not answer are as they were, and unreadable.
    std::shared_ptr<const std::vector<engine::Group>> groups =
        std::make_shared<const std::vector<engine::Group>>();
    /// What clouds would make groups of, in pipeline order; NULL: none makes any.
    std::shared_ptr<const std::vector<engine::CloudMachines>> machines{};
    /// What could not be read or is in the way, by cloud in pipeline order: each a sentence that
    /// names its cloud. `subject` is the group, where it is one's.
    std::vector<Error> problems{};
    /// Those that could not be read since the start: what groups they have is not known.
    engine::UnreadClouds unread{};
    engine::ToldViews told{};  ///< as clouds told them for this view
    /// How each cloud stands, in pipeline order.
    std::vector<CloudState> states{};

    /// What refreshes came to that ended for this view, by cloud.
    std::map<PluginInstanceId, Error> failures() const;
};

/// How long a refresh is waited for.
struct RefreshPatience {
    /// From the beginning of the call; a cloud that takes longer is silent, and its call goes on.
    Duration silent_after{};
    /// The same for a cloud that was silent, until a call of it ends within `silent_after` again:
    /// passes that come one after the other are not each held up.
    Duration silent_again_after{};
    /// How old an answer that came too late may be to be used without asking again.
    Duration late_answer_age{};
};
/// max(5 s, min(3 scan intervals, 15 s)).
RefreshPatience patience_of(Duration scan_interval) noexcept;

/// Reads all clouds at once. A cloud that cannot be read keeps the groups it had, as do groups it
/// calls unreadable: they count as they were, and are not touched. A group's template is asked for
/// when its fingerprint changes, or each time when it has none; one that cannot be had is left out,
/// with the reason. Of two groups of one id the one of the cloud that stands first in the pipeline
/// counts, and the other is a problem.
class Clouds : public std::enable_shared_from_this<Clouds> {
public:
    using Resting = std::map<PluginInstanceId, std::string>;

    /// The clouds of the pipeline. `internal`: a name without an instance, unless it is `missing`
    /// because it has not started, or one that is no cloud. `gate`: see CloudClient.
    static Result<std::shared_ptr<Clouds>> make(const config::Pipeline& pipeline,
                                                const PluginHost& host,
                                                const instances::ChangeGate& gate = {},
                                                Missing missing = Missing::is_wrong);
    Clouds(const Clouds&) = delete;
    Clouds& operator=(const Clouds&) = delete;

    /// The clouds of another pipeline, from the next refresh on. What is known of one that was
    /// there before stays, as does a call of it that is under way. After an error, which is
    /// `make`'s, nothing has changed.
    Result<void> follow(const config::Pipeline& pipeline, const PluginHost& host,
                        Missing missing = Missing::is_wrong);

    /// From the next refresh on; nothing, as at first: each call is waited for until its deadline.
    void set_patience(std::optional<RefreshPatience> patience);
    /// Called when a cloud answers that was silent in the last view, by any thread.
    void set_on_late(std::function<void()> on_late);

    /// Asks each cloud but those of `resting`, whose groups are left as they are for the reason
    /// given, and waits; on virtual time the clock goes on as far as it takes. A cloud is never
    /// asked again while a call is under way, and an answer that came too late is used by the next
    /// refresh. [one thread]
    CloudsView refresh_now(PluginHost& host, const Resting& resting = {});
    /// As of the last refresh; empty before. [any thread]
    CloudsView view() const;

    /// A cloud of the pipeline that has started since; read from the next refresh on. Until then it
    /// counts as one that could not be read. Nothing happens where it is none, or is there already.
    Result<void> join(std::shared_ptr<instances::PluginInstance> instance);

    /// NULL: there is no such cloud, or it has not started.
    std::shared_ptr<instances::CloudClient> find(const PluginInstanceId& cloud) const;
    /// Those that have started, in pipeline order.
    std::vector<std::shared_ptr<instances::PluginInstance>> instances() const;

private:
    struct Cloud {
        std::shared_ptr<CloudReader> reader{};  ///< NULL: it has not started
        CloudAnswers answers{};
    };

    explicit Clouds(instances::ChangeGate gate) : gate_(std::move(gate)) {}
    Result<std::shared_ptr<CloudReader>> read_by(
        std::shared_ptr<instances::PluginInstance> instance) const;
    void ask(PluginHost& host, const Resting& resting);
    void await(PluginHost& host);
    std::optional<Duration> next_deadline(Duration now) const;
    void await_one(PluginHost& host, Duration deadline, std::uint64_t seen);
    void take(const PluginInstanceId& cloud, CloudReading reading, Duration now, Time wall);
    CloudsView merged(std::vector<CloudReading> readings);

    const instances::ChangeGate gate_;
    mutable std::mutex mutex_;           ///< guards what follows
    std::vector<PluginInstanceId> ids_;  ///< in pipeline order
    bool asks_machine_types_ = false;
    /// Those of the pipeline, and those that were: a call of one may still be under way when it
    /// comes back.
    std::map<PluginInstanceId, Cloud> known_;
    CloudsView view_;
    std::vector<CloudReading> merged_;  ///< what `view_` was made of, by cloud
    bool is_disputed_ = false;          ///< two of its clouds have a group of one id
    std::optional<RefreshPatience> patience_{};
    std::function<void()> on_late_{};
    std::uint64_t ended_ = 0;  ///< calls, since the start
    /// Waits for the next call to end; NULL: nothing does.
    std::function<void()> waiting_{};
};

}  // namespace capstan::runtime
