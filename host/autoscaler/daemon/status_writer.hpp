/// The state of the cluster and its groups in upstream's status ConfigMap.
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

#include "autoscaler/daemon/config_watch.hpp"
#include "autoscaler/pass_report.hpp"
#include "engine/health/health.hpp"
#include "kubernetes/client/writes/config_maps.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"

namespace capstan::autoscaler::daemon {

/// One condition of the cluster or of a group.
struct StatusCondition {
    std::string status{};  ///< "Healthy"
    Time transition{};     ///< since when it has that status
};

struct StatusBackoff {
    std::string code{}, message{};
};

/// The part of the status that the cluster and each group have.
struct StatusPart {
    StatusCondition health{}, scale_up{}, scale_down{};
    engine::health::NodeCounts nodes{};
    int unjoined = 0, long_unjoined = 0;
    int candidates = 0;  ///< nodes that could be removed
};

struct GroupStatus {
    std::string name{};
    StatusPart part{};
    int target = 0, min = 0, max = 0;
    std::optional<StatusBackoff> backoff{};
};

struct ClusterStatus {
    Time at{};
    std::optional<ConfigStatus> config{};
    StatusPart cluster{};
    std::vector<CloudState> clouds{};   ///< in pipeline order
    std::vector<GroupStatus> groups{};  ///< by id
};

/// Makes the status of each pass. Keeps the transition time of each condition from pass to pass.
/// [one thread]
class StatusMaker {
public:
    /// `health`: after the pass.
    ClusterStatus make(const PassReport& pass, const engine::health::Health& health);

private:
    GroupStatus group_status(const PassReport& pass, const engine::Group& group,
                             const engine::health::GroupHealth& health, int candidates);
    StatusCondition condition(const std::string& of, std::string status, Time now);

    std::map<std::string, StatusCondition> before_{}, now_{};
};

/// Half of the size limit of a ConfigMap, so that other writers can add keys.
inline constexpr std::size_t status_text_max = 512 * 1024;

/// The value of the ConfigMap's key `status`: YAML of at most `most` bytes. If there is no room for
/// all groups, unhealthy, backed-off and changing groups come first, and the text says how many are
/// left out.
std::string status_text(const ClusterStatus& status, std::size_t most = status_text_max);
/// The text before the first pass, with the reason in `message`.
std::string initializing_text(const std::string& message, Time now);
/// "2026-11-21 10:50:00.25 +0000 UTC": upstream's format in `time` and in the annotation.
std::string go_time_text(Time time);

/// Writes upstream's status ConfigMap, which Events about the cluster as a whole refer to. Nothing
/// depends on it: a failure is reported once until a write succeeds. Used on the loop's thread
/// alone.
class StatusWriter {
public:
    struct Options {
        kubernetes::client::ConfigMapName name{};
        std::uint64_t seed = 0;
        std::function<void(const Error& error)> on_error{};
    };
    /// Borrows `api` and `loop`.
    StatusWriter(kubernetes::client::Api& api, io::Loop& loop, Options options);

    /// A text that comes during a write is written after that write, unless a later one replaces
    /// it.
    void write(std::string text, Time now);
    /// Removes the ConfigMap once a write under way has ended, because it is not kept up to date
    /// any more. `done` is not called inside this call.
    void remove(std::function<void()> done);
    kubernetes::client::ObjectReference reference() const;

private:
    void send();

    const Options options_;
    std::string next_{};  ///< empty: nothing to write
    Time next_at_{};
    std::string uid_{};
    bool is_writing_ = false, is_failing_ = false;
    std::function<void()> removed_{};  ///< the `done` of a removal that waits for a write
    kubernetes::client::ConfigMaps maps_;
};

}  // namespace capstan::autoscaler::daemon
