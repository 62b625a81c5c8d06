#include "kubernetes/client/writes/lease_record.hpp"

#include <algorithm>

#include "kubernetes/client/json_object.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes {
namespace {

std::int64_t seconds_of(Duration duration) {
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(duration).count(), 1);
}

boost::json::value micro_time(Time time) {
    const auto text = find_micro_time_text(time);
    return text ? boost::json::value(*text) : boost::json::value(nullptr);
}

}  // namespace

std::optional<std::string> find_micro_time_text(Time time) {
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    auto text = find_timestamp_text(second);
    if (!text) return std::nullopt;
    const auto micros = std::chrono::floor<std::chrono::microseconds>(time - second).count();
    const std::string digits = std::to_string(micros);
    text->back() = '.';  // in place of the Z
    return text->append(6 - digits.size(), '0') + digits + "Z";
}

std::string holder_of(const boost::json::object& lease) {
    return text_at(lease, {"spec", "holderIdentity"});
}

Duration duration_of(const boost::json::object& lease) {
    const std::int64_t seconds = integer_at(lease, {"spec", "leaseDurationSeconds"});
    // The API keeps 32 bits of it.
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, INT32_MAX));
}

boost::json::object make_lease(const LeaseClaim& claim) {
    boost::json::object lease{
        {"apiVersion", "coordination.k8s.io/v1"},
        {"kind", "Lease"},
        {"metadata", {{"name", claim.name}, {"namespace", claim.ns}}},
        {"spec",
         {{"holderIdentity", claim.identity},
          {"leaseDurationSeconds", seconds_of(claim.duration)},
          {"acquireTime", micro_time(claim.now)},
          {"renewTime", micro_time(claim.now)},
          {"leaseTransitions", 0}}},
    };
    return lease;
}

void claim(boost::json::object& lease, const LeaseClaim& claim) {
    boost::json::object& spec = make_object(lease, "spec");
    if (holder_of(lease) != claim.identity) {
        spec["leaseTransitions"] = integer_at(lease, {"spec", "leaseTransitions"}) + 1;
        spec["acquireTime"] = micro_time(claim.now);
    }
    spec["holderIdentity"] = claim.identity;
    spec["leaseDurationSeconds"] = seconds_of(claim.duration);
    spec["renewTime"] = micro_time(claim.now);
}

void release(boost::json::object& lease, Time now) {
    boost::json::object& spec = make_object(lease, "spec");
    spec["holderIdentity"] = "";
    spec["leaseDurationSeconds"] = 1;
    spec["acquireTime"] = micro_time(now);
    spec["renewTime"] = micro_time(now);
}

}  // namespace capstan::kubernetes
