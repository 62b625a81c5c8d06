/// How cluster and groups are doing, as upstream's status ConfigMap says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

#include "engine/health/health.hpp"
#include "kubernetes/client/writes/config_maps.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/daemon/config_watch.hpp"
#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime::daemon {

/// One of the conditions that a cluster or a group is in.
struct StatusCondition {
    std::string status{};  ///< "Healthy"
    Time transition{};     ///< since when
};

struct StatusBackoff {
    std::string code{}, message{};
};

/// What holds for the cluster as a whole, and for each group.
struct StatusPart {
    StatusCondition health{}, scale_up{}, scale_down{};
    engine::health::NodeCounts nodes{};
    int unjoined = 0, long_unjoined = 0;
    int candidates = 0;  ///< nodes that could go
};

struct GroupStatus {
    std::string name{};
    StatusPart part{};
    int target = 0, min = 0, max = 0;
    std::optional<StatusBackoff> backoff{};
};

struct ClusterStatus {
    Time at{};
    std::optional<ConfigStanding> config{};
    StatusPart cluster{};
    std::vector<CloudState> clouds{};   ///< in pipeline order
    std::vector<GroupStatus> groups{};  ///< by id
};

/// Keeps since when each condition has been as it is: moments that a ClusterStatus says again while
/// nothing changes. [one thread]
class StatusMaker {
public:
    /// `health`: after the pass.
    ClusterStatus make(const PassReport& pass, const engine::health::Health& health);

private:
    GroupStatus group_status(const PassReport& pass, const engine::Group& group,
                             const engine::health::GroupHealth& its, int candidates);
    StatusCondition condition(const std::string& of, std::string status, Time now);

    std::map<std::string, StatusCondition> before_{}, now_{};
};

/// Half of what a ConfigMap may have, so that what others add to it finds room.
inline constexpr std::size_t status_text_max = 512 * 1024;

/// The value of the ConfigMap's key `status`: YAML, `most` bytes of it. Where groups find no room,
/// those that have something to say come first, and the text says how many are left out.
std::string status_text(const ClusterStatus& status, std::size_t most = status_text_max);
/// The same before the first pass, with why there is none.
std::string initializing_text(const std::string& message, Time now);
/// "2026-11-21 10:50:00.25 +0000 UTC": as upstream writes moments in `time` and in the annotation.
std::string go_time_text(Time time);

// Keeps upstream's status ConfigMap, to which events about the cluster as a whole belong.

/// Nothing depends on it: what cannot be written is told once, until it can be again. Used on the
/// loop's thread alone.
class StatusWriter {
public:
    struct Options {
        kubernetes::client::ConfigMapName name{};
        std::uint64_t seed = 0;
        std::function<void(const Error& error)> on_trouble{};
    };
    /// Borrows both.
    StatusWriter(kubernetes::client::Api& api, io::Loop& loop, Options options);

    /// While a write is under way the last text that came meanwhile waits for its end.
    void write(std::string text, Time now);
    /// Removes it, once a write that is under way has ended, for it is kept up to date no longer.
    /// `done` is not called inside this.
    void remove(std::function<void()> done);
    kubernetes::client::ObjectReference reference() const;

private:
    void send();

    const Options options_;
    io::Loop& loop_;
    std::string next_{};  ///< empty: nothing to write
    Time next_at_{};
    std::string uid_{};
    bool is_writing_ = false, is_in_trouble_ = false;
    std::function<void()> removed_{};  ///< it is to be removed as soon as nothing is being written
    kubernetes::client::ConfigMaps maps_;
};

}  // namespace capstan::runtime::daemon
