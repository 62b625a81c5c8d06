/// What each subject asks of the pods around it, in counters: affinity, spread, ports, volumes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/scheduling/counters.hpp"
#include "engine/scheduling/node_demands.hpp"
#include "engine/scheduling/pod_terms.hpp"
#include "engine/scheduling/refusal.hpp"
#include "engine/scheduling/topologies.hpp"

namespace capstan::engine {

/// No pod of the counter may be in the domain.
struct Forbidden {
    CounterId counter = 0;
    bool counts_itself = false;  ///< a pod of the class adds to it
    bool others_term = false;    ///< it is the other pods that will not have this one
};

/// In every counter's domain there must be a pod; where there is none anywhere, the first may go
/// wherever it will, if it is one of those looked for.
struct Together {
    std::vector<CounterId> counters{};  ///< one per topology key; none: no affinity
    bool counts_itself = false;
};

struct SpreadRule {
    CounterId counter = 0;
    int max_skew = 1;
    int min_domains = 1;
    bool counts_itself = false;
    bool is_default = false;  ///< the scheduler's, not the pod's own
};

struct AttachRule {
    std::uint32_t driver = 0;
    std::vector<CounterId> volumes{};
};

struct PodRules {
    std::vector<Forbidden> ports{}, claims{}, apart{};
    Together together{};
    std::vector<SpreadRule> spread{};
    std::vector<AttachRule> attach{};
    /// The one rule of spread whose domains are wider than a node; nothing: none, or several.
    std::optional<std::uint32_t> wide{};
    std::vector<std::int32_t> wide_domains{};  ///< that some node or shape could be in, ascending

    bool empty() const noexcept {
        return ports.empty() && claims.empty() && apart.empty() && together.counters.empty() &&
               spread.empty() && attach.empty();
    }
};

}  // namespace capstan::engine
