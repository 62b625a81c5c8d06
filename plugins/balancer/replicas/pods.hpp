/// The pods of the cluster, reduced to what Balancers need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/labels.hpp>
#include <capstan/time.hpp>

namespace capstan::replicas {

/// A container that ended and began again.
struct Restart {
    Duration ran{};                  ///< how long its last ended run took
    std::optional<Time> up_since{};  ///< begin of its present run; absent: it does not run
    bool operator==(const Restart&) const = default;
};

struct PodFacts {
    Labels labels{};
    bool is_running = false;  ///< false: pending
    bool is_ready = false;
    bool was_ready = false;  ///< is ready, or was ready earlier
    std::optional<Time> created{};
    std::vector<Restart> restarts{};
    bool operator==(const PodFacts&) const = default;
};

/// Whether the pod is running, has been ready, and has no container in a restart loop. In such a
/// loop the last and the present run of the container are both shorter than `timeout`.
bool has_started(const PodFacts& pod, Time now, Duration timeout);

/// Absent for a pod that no longer counts: it ended, failed, or is being deleted. (Upstream counts
/// pods that are being deleted.)
std::optional<PodFacts> read_pod(const Json& pod);

/// The pods that one selector matches.
struct PodCounts {
    std::int64_t total = 0, running = 0, ready = 0;
    /// All pods that have not started, once one of them is older than the startup timeout: where
    /// that one did not start, the younger ones are not expected to. 0 before that.
    std::int64_t blocked = 0;
    std::int64_t late = 0;           ///< pods of `blocked` that are older than the timeout
    std::optional<Time> next_due{};  ///< when `blocked` may change without an event
    std::int64_t foreign = 0;        ///< pods that the Balancer's own selector does not match
    std::string foreign_name{};      ///< name of the first foreign pod
    bool operator==(const PodCounts&) const = default;
};

/// [strand]
class Pods {
public:
    /// Whether facts of the pod changed. Remembers that a pod was ready.
    bool put(const Json& pod);
    /// Whether the pod was there.
    bool remove(const Json& pod);
    void clear() { namespaces_.clear(); }

    /// Counts the pods of a namespace that `of` matches. `own` is the Balancer's selector, or NULL.
    /// Without a `timeout` no pod is ever blocked.
    PodCounts count(const std::string& ns, const LabelSelector& of, const LabelSelector* own,
                    Time now, std::optional<Duration> timeout) const;

private:
    using ByName = std::map<std::string, PodFacts, std::less<>>;
    std::map<std::string, ByName, std::less<>> namespaces_;
};

}  // namespace capstan::replicas
