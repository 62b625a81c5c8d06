/// When a dump was taken, as the times in its objects tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/time.hpp>

namespace capstan::autoscaler::dump {

struct DumpMoment {
    Time at{};
    std::string because{};  ///< "latest heartbeat of node n1"
};

/// Collects the latest of these times: creation, request of a deletion and last change
/// (managedFields) of all objects, conditions and heartbeats, renewals of Leases, starts and ends
/// of containers, events, and the time in the header of `capstan dump`. The end of a grace period
/// lies in the future and does not count.
class DumpTime {
public:
    /// An object of any kind, as raw JSON. Times that cannot be read do not count.
    void add(std::string_view kind, const boost::json::value& object);
    /// The latest time. If the dump has no header, heartbeats and Leases, a minute later: nodes and
    /// pods have settled then, as in most clusters. Absent: no object has a time.
    std::optional<DumpMoment> moment() const;

private:
    std::optional<DumpMoment> latest_{};
    bool has_heartbeats_ = false;
};

}  // namespace capstan::autoscaler::dump
