/// How cluster and groups are doing, as upstream's status ConfigMap says it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

#include "engine/health/health.hpp"
#include "runtime/daemon/config_standing.hpp"
#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime {

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
    engine::NodeCounts nodes{};
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
    ClusterStatus make(const PassReport& pass, const engine::Health& health);

private:
    GroupStatus group_status(const PassReport& pass, const engine::Group& group,
                             const engine::GroupHealth& its, int candidates);
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

}  // namespace capstan::runtime
