/// Reads one cloud plugin, and keeps its last answer from refresh to refresh.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot.hpp"
#include "plugin_runtime/instances/cloud_client.hpp"

namespace capstan::autoscaler {

/// One cloud's part of a CloudsView. A list that has not changed since the last time is the same
/// object, so that it need not be compared; neither list is NULL.
struct CloudReading {
    using Groups = std::shared_ptr<const std::vector<engine::Group>>;
    using MachineTypes = std::shared_ptr<const std::vector<MachineType>>;

    /// In the order of the cloud.
    Groups groups = std::make_shared<const std::vector<engine::Group>>();
    /// The machine types that the cloud can create groups of, by name. Empty: the cloud creates no
    /// groups, or its machine types are not known.
    MachineTypes machines = std::make_shared<const std::vector<MachineType>>();
    std::vector<Error> problems{};   ///< each names its cloud
    std::optional<Error> failure{};  ///< of the refresh; absent: the cloud answered
    /// Why the cloud has not been read, neither this time nor before. Empty: it has been read.
    std::string unread_because{};
    plugin_runtime::instances::CloudClient::View
        view{};  ///< the cloud's answer; NULL: the refresh failed
};

/// Keeps the groups and templates of the last reading. A group that cannot be read this time is
/// taken from there, and so is a template with an unchanged fingerprint. If the cloud returns the
/// same view again, had no problem, and no template has to be requested again, the list of groups
/// is not rebuilt. All functions except read() and client() are called on the cloud's strand.
class CloudReader : public std::enable_shared_from_this<CloudReader> {
public:
    using Done = std::function<void(CloudReading)>;

    explicit CloudReader(std::shared_ptr<plugin_runtime::instances::CloudClient> client)
        : client_(std::move(client)) {}

    const std::shared_ptr<plugin_runtime::instances::CloudClient>& client() const noexcept {
        return client_;
    }
    struct Request {
        bool machine_types = false;  ///< asks also for the machine types of new groups
        bool probe = false;          ///< see CloudClient::refresh
    };
    /// Refreshes the cloud and asks for the templates of groups that have none or a new
    /// fingerprint. `done` is called on the strand. Not to be called again before `done` was
    /// called.
    /// [any thread]
    void read(Request request, Done done);

private:
    /// The template of a group, or why there is none.
    struct Description {
        std::string fingerprint{};
        std::shared_ptr<const NodeTemplate> node{};
        std::string missing_because{};
    };
    struct Reading;

    void take(Result<plugin_runtime::instances::CloudClient::View> view, bool with_machine_types,
              Done done);
    /// The groups of a view with their machines. A group that could not be read is as it was known
    /// last; one that was never read has its id and machines alone.
    void merge(const CloudView& view, Reading& out) const;
    engine::Group last_known(const NodeGroupId& id, std::vector<Machine> machines) const;
    const Description* find_description(const engine::Group& group) const;
    void describe(const std::shared_ptr<Reading>& reading);
    void described(Reading& reading, std::size_t at, Result<NodeTemplate> node);
    void ask_machine_types(const std::shared_ptr<Reading>& reading);
    void take_machine_types(Reading& reading, Result<MachineTypes> machines);
    void keep(Reading& reading);
    void finish(Reading& reading);
    std::string with_plugin(std::string_view what) const;

    const std::shared_ptr<plugin_runtime::instances::CloudClient> client_;
    plugin_runtime::instances::CloudClient::View
        view_{};               ///< the last answer; NULL: there was none
    bool is_settled_ = false;  ///< the same view gives `known_groups_` again and asks nothing
    CloudReading::Groups known_groups_ = std::make_shared<const std::vector<engine::Group>>();
    std::map<NodeGroupId, Description> descriptions_;
    CloudReading::MachineTypes machines_ = std::make_shared<const std::vector<MachineType>>();
};

// Whether one cloud answers its refreshes, and which groups count while it does not.

enum class CloudStatus : std::uint8_t {
    answered,
    failed,        ///< its refresh ended with an error
    unresponsive,  ///< its refresh has been under way for longer than it is waited for
    backed_off,    ///< it is not asked for a while: engine/health/cloud_backoff.hpp
};
/// "answered".
std::string_view name_of(CloudStatus status) noexcept;

/// The state of one cloud in one view.
struct CloudState {
    PluginInstanceId cloud{};
    CloudStatus status = CloudStatus::answered;
    /// Why no action is taken on its groups. Empty: actions are allowed.
    std::string because{};
    /// Wall-clock time of the answer that the view is made of. Absent: the cloud has not answered
    /// since the start.
    std::optional<Time> answered{};
    std::optional<Error> failure{};  ///< of the refresh that ended for this view
    /// its last refresh, or the one under way, took longer than a pass waits
    bool is_slow = false;
};

/// The refreshes of one cloud, one at a time, and their answers. Times are of the monotonic clock,
/// those with `wall` in their names of the wall clock. The owner guards it with its mutex.
class CloudAnswers {
public:
    /// A refresh begins. Not to be called while one is under way.
    void begin(Duration now, Time wall);
    /// The refresh ended. An answer that took longer than `patience` is late.
    void end(CloudReading reading, Duration now, Time wall, std::optional<Duration> patience);

    bool is_under_way() const noexcept { return is_under_way_; }
    Duration began() const noexcept { return began_; }
    /// Whether the last refresh took longer than a pass waits, or the one under way already has.
    bool is_slow() const noexcept { return is_slow_; }
    /// Whether there is an answer that is not part of a view yet and did not come before `since`.
    bool has_unused(Duration since) const noexcept;
    /// Whether the last view was made without the answer of the refresh under way.
    bool was_given_up() const noexcept { return was_given_up_; }

    /// The reading that a view made now uses, and the state of the cloud in `state`.
    /// `backed_off_because`: why the cloud is not asked; NULL: it is asked.
    CloudReading reading_for_view(const PluginInstanceId& cloud,
                                  const std::string* backed_off_because, CloudState& state);

private:
    CloudReading untouched(const CloudState& state, Error problem);

    bool is_under_way_ = false, is_slow_ = false, was_given_up_ = false, is_used_ = true;
    Duration began_{};
    Time began_wall_{};
    Duration ended_{};
    std::optional<Time> answered_wall_{};
    CloudReading last_{};  ///< of the last refresh that ended
    const CloudReading::MachineTypes no_machines_ =
        std::make_shared<const std::vector<MachineType>>();
    /// Cached copy of the groups of `last_` that are marked unreadable, the list that it was made
    /// from, and the reason.
    CloudReading::Groups marked_{}, marked_from_{};
    std::string marked_because_{};
};

}  // namespace capstan::autoscaler
