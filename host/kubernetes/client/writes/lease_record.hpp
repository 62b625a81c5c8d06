/// Who leads, as a Lease object says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

namespace capstan::kubernetes {

/// "2026-11-21T10:50:00.250000Z": a point in time to the microsecond, as Leases have it. Nothing
/// outside the years that can be written.
std::optional<std::string> find_micro_time_text(Time time);

/// Empty: nobody.
std::string holder_of(const boost::json::object& lease);
/// How long the holder may go without renewing; zero where it does not say.
Duration duration_of(const boost::json::object& lease);

struct LeaseClaim {
    std::string_view ns{}, name{}, identity{};
    Duration duration{};
    Time now{};
};
/// A Lease that nobody has made yet, held by the one who claims it.
boost::json::object make_lease(const LeaseClaim& claim);
/// `lease` held by the one who claims it: renewed if it was before, otherwise one transition more.
/// What else it says stays as it is.
void claim(boost::json::object& lease, const LeaseClaim& claim);
/// Held by nobody, for a second: whoever looks next may have it.
void release(boost::json::object& lease, Time now);

}  // namespace capstan::kubernetes
