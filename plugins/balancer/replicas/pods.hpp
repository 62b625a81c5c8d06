/// The pods of the cluster, as far as Balancers care.
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
    Duration ran{};                  ///< for how long the last time
    std::optional<Time> up_since{};  ///< nothing: it waits for its next run
    bool operator==(const Restart&) const = default;
};

struct PodFacts {
    Labels labels{};
    bool is_running = false;  ///< else pending
    bool is_ready = false;
    bool was_ready = false;  ///< now, or earlier
    std::optional<Time> created{};
    std::vector<Restart> restarts{};
    bool operator==(const PodFacts&) const = default;
};

/// Whether it has been ready, and none of its containers restarts each time within `timeout`.
bool has_started(const PodFacts& pod, Time now, Duration timeout);

/// Nothing for pods that count no more: ended, failed, or being deleted. (Upstream goes on counting
/// what is being deleted.)
std::optional<PodFacts> read_pod(const Json& pod);

/// Pods of one selector.
struct PodCounts {
    std::int64_t total = 0, running = 0, ready = 0;
    /// Those that have not started, once one of them exists for longer than the startup timeout:
    /// younger ones are not expected to start where it did not.
    std::int64_t blocked = 0;
    std::optional<Time> next_due{};  ///< when that changes without an event
    std::int64_t foreign = 0;        ///< that the Balancer's own selector does not hold for
    std::string foreign_name{};      ///< of the first of these
    bool operator==(const PodCounts&) const = default;
};

/// [strand]
class Pods {
public:
    /// Whether anything that counts is another now. That a pod was ready is remembered.
    bool put(const Json& pod);
    bool remove(const Json& pod);
    void clear() { namespaces_.clear(); }

    /// `own`: the Balancer's selector, NULL: none. `timeout`: nothing: none is ever blocked.
    PodCounts count(const std::string& ns, const LabelSelector& of, const LabelSelector* own,
                    Time now, std::optional<Duration> timeout) const;

private:
    using ByName = std::map<std::string, PodFacts, std::less<>>;
    std::map<std::string, ByName, std::less<>> namespaces_;
};

}  // namespace capstan::replicas
