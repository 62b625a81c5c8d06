/// What an API server does wrong when it is told to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulation/api_server/api_request.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

/// What becomes of the answer to a request that was carried out.
enum class ResponseCorruption {
    none,
    garbage,  ///< something else than JSON
    half,     ///< its first half, as if that were all
    torn,     ///< its first half, then the connection ends
    silence,  ///< nothing comes, and the connection stays
};

struct ApiFault {
    /// Which requests; empty: any.
    std::string verb{}, resource{}, subresource{}, space{}, name{};
    int skip = 0;  ///< so many of them are let pass first

    /// Answered with this: 409, 410, 429, 500 ...; zero: as usual.
    int status = 0;
    std::optional<int> retry_after_s{};
    Duration delay{0};  ///< before anything else happens
    bool cuts = false;  ///< the connection ends instead of an answer
    /// The request is carried out first, before the delay, so that only its answer is lost or late.
    bool is_carried_out = false;
    ResponseCorruption spoil = ResponseCorruption::none;
    /// Of a watch: it begins well, and `status` (as an ERROR event), the cut or what is spoilt
    /// comes after so many events.
    std::optional<int> after_events{};
    Duration lag{0};  ///< of a watch: each line comes so much later than it would

    std::optional<int> times = 1;  ///< so often, then it is over; nothing: until it is removed
};

/// [the loop's thread]
class ApiFaults {
public:
    void add(ApiFault fault) { faults_.push_back(std::move(fault)); }
    void clear() { faults_.clear(); }
    const std::vector<ApiFault>& all() const noexcept { return faults_; }
    /// How many requests went wrong by it.
    std::size_t taken() const noexcept { return taken_; }

    /// The first one that is for this request; counted as having come.
    std::optional<ApiFault> take(const ApiRequest& request);

private:
    std::vector<ApiFault> faults_;
    std::size_t taken_ = 0;
};

/// What a server says that fails so.
StatusError refusal_of(const ApiFault& fault, const ApiRequest& request);

/// As /capstan/faults has it: {"verb": "patch", "resource": "nodes", "skip": 1, "status": 429,
/// "retryAfterSeconds": 1, "delayMs": 0, "cut": false, "carriedOut": false, "spoil": "torn",
/// "afterEvents": 3, "lagMs": 0, "times": 2}; times 0: until it is removed. 400: another member, or
/// one of a wrong type.
Answer<ApiFault> parse_fault(const json::object& written);
json::object fault_object(const ApiFault& fault);

}  // namespace capstan::simulation::api_server
