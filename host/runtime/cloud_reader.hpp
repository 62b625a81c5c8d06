/// What is known of one cloud, from refresh to refresh.
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
#include "runtime/instances/cloud_client.hpp"

namespace capstan::runtime {

/// One cloud's part of a CloudsView. A list that has not changed since the last time is the same
/// object, so that it need not be compared; neither is NULL.
struct CloudReading {
    using Groups = std::shared_ptr<const std::vector<engine::Group>>;
    using MachineTypes = std::shared_ptr<const std::vector<MachineType>>;

    /// In the order of the cloud.
    Groups groups = std::make_shared<const std::vector<engine::Group>>();
    /// What it would make groups of, by name; empty: it makes none, or it is not known of what.
    MachineTypes machines = std::make_shared<const std::vector<MachineType>>();
    std::vector<Error> problems{};   ///< each names its cloud
    std::optional<Error> failure{};  ///< of the refresh; nothing: the cloud answered
    /// Why it could not be read this time nor before; empty: it could.
    std::string unread_because{};
    instances::CloudClient::View view{};  ///< as the cloud told it; NULL: the refresh failed
};

/// Keeps what it read last, for groups that cannot be read this time and for templates that have
/// not changed; where the cloud says the same once more and nothing was left to ask, its groups
/// are not put together anew. All but `read` runs on the cloud's strand.
class CloudReader : public std::enable_shared_from_this<CloudReader> {
public:
    using Done = std::function<void(CloudReading)>;

    explicit CloudReader(std::shared_ptr<instances::CloudClient> client)
        : client_(std::move(client)) {}

    const std::shared_ptr<instances::CloudClient>& client() const noexcept { return client_; }
    /// Refreshes the cloud and describes its groups as needed; `done` on the strand. One at a time:
    /// not before the last one's `done`. `with_machine_types`: asks what groups could be made of,
    /// too. [any thread]
    void read(bool with_machine_types, Done done);

private:
    /// What a group's nodes would be, or why that is not known.
    struct Description {
        std::string fingerprint{};
        std::shared_ptr<const NodeTemplate> node{};
        std::string missing_because{};
    };
    struct Reading;

    void take(Result<instances::CloudClient::View> view, bool with_machine_types, Done done);
    /// The groups of a view with their machines; those that could not be read as they were, or by
    /// their names alone.
    void merge(const CloudView& view, Reading& out) const;
    engine::Group find_known(const NodeGroupId& id, std::vector<Machine> machines) const;
    const Description* find_description(const engine::Group& group) const;
    void describe(const std::shared_ptr<Reading>& reading);
    void described(Reading& reading, std::size_t at, Result<NodeTemplate> node);
    void ask_machine_types(const std::shared_ptr<Reading>& reading);
    void take_machine_types(Reading& reading, Result<MachineTypes> machines);
    void keep(Reading& reading);
    void finish(Reading& reading);
    std::string named(std::string_view what) const;

    const std::shared_ptr<instances::CloudClient> client_;
    instances::CloudClient::View view_{};  ///< as the cloud said it last; NULL: it never did
    bool is_settled_ = false;  ///< the same view once more gives `known_`, and asks nothing
    CloudReading::Groups known_ = std::make_shared<const std::vector<engine::Group>>();
    std::map<NodeGroupId, Description> descriptions_;
    CloudReading::MachineTypes machines_ = std::make_shared<const std::vector<MachineType>>();
};

// How one cloud answers, from refresh to refresh: what counts of it while it does not.

enum class CloudStatus : std::uint8_t {
    answered,
    failed,        ///< its refresh came to an error
    unresponsive,  ///< its refresh has been under way for longer than it is waited for
    backed_off,    ///< it is not asked for a while: engine/health/cloud_rests.hpp
};
/// "answered".
std::string_view name_of(CloudStatus status) noexcept;

/// How a cloud stands in one view.
struct CloudState {
    PluginInstanceId cloud{};
    CloudStatus status = CloudStatus::answered;
    /// Why its groups are left as they are; empty: they are not.
    std::string because{};
    /// When the answer came that counts, by the machine's clock; nothing: none came since the
    /// start.
    std::optional<Time> answered{};
    std::optional<Error> failure{};  ///< of the refresh that ended for this view
    bool is_slow = false;            ///< its last refresh took longer than it is waited for
};

/// The calls of one cloud, one at a time, and their answers. Moments of the monotonic clock unless
/// `wall` is in their names. Guarded by its owner.
class CloudAnswers {
public:
    /// A call begins. Not while one is under way.
    void begin(Duration now, Time wall);
    /// It ended. `patience`: in which time an answer is no late one.
    void end(CloudReading reading, Duration now, Time wall, std::optional<Duration> patience);

    bool is_under_way() const noexcept { return is_under_way_; }
    Duration began() const noexcept { return began_; }
    /// Whether the last call that ended took longer than it is waited for, or the one under way is
    /// known to.
    bool is_slow() const noexcept { return is_slow_; }
    /// Whether an answer is there that no view was made of, and came at `since` at the earliest.
    bool has_unused(Duration since) const noexcept;
    /// Whether the last view was made without waiting for the call under way.
    bool was_given_up() const noexcept { return was_given_up_; }

    /// What counts of the cloud now. `resting`: why it is not asked; NULL: it is.
    CloudReading reading_for_view(const PluginInstanceId& cloud, const std::string* resting,
                                  CloudState& state);

private:
    CloudReading untouched(const CloudState& state, Error problem);

    bool is_under_way_ = false, is_slow_ = false, was_given_up_ = false, is_used_ = true;
    Duration began_{};
    Time began_wall_{};
    Duration ended_{};
    std::optional<Time> answered_wall_{};
    CloudReading last_{};  ///< of the last call that ended
    const CloudReading::MachineTypes no_machines_ =
        std::make_shared<const std::vector<MachineType>>();
    /// The groups of `last_` as unreadable ones, and for which reason.
    CloudReading::Groups marked_{}, marked_from_{};
    std::string marked_because_{};
};

}  // namespace capstan::runtime
