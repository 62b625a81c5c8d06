/// Faults of an API server, on demand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/api_request.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

/// How the answer to a request is corrupted.
enum class ResponseCorruption {
    none,
    garbage,     ///< HTML instead of JSON
    half,        ///< the first half of the answer, as if it were complete
    torn,        ///< the first half of the answer, then the connection ends
    silence,     ///< no answer, and the connection stays open
    other_kind,  ///< an object of another kind; in a watch one event more, with such an object
    nameless,  ///< an object without name and spec; in a watch one event more, with such an object
};

struct ApiFault {
    /// The requests that the fault is for; an empty member matches any.
    std::string verb{}, resource{}, subresource{}, space{}, name{};
    int skip = 0;  ///< the number of matching requests that succeed first

    /// HTTP status of the refusal: 409, 410, 429, 500 ...; zero: no refusal.
    int status = 0;
    std::optional<int> retry_after_s{};
    Duration delay{0};  ///< before the request is handled
    bool cuts = false;  ///< the connection ends instead of an answer
    /// The request is carried out first, before the delay, so that only its answer is lost or late.
    bool is_carried_out = false;
    ResponseCorruption spoil = ResponseCorruption::none;
    /// For a watch: the watch begins normally, and `status` (as an ERROR event), `cuts` or `spoil`
    /// takes effect after this number of events.
    std::optional<int> after_events{};
    Duration lag{0};  ///< for a watch: the delay of each line

    /// The number of requests that go wrong; absent: all of them until the fault is removed.
    std::optional<int> times = 1;
};

/// [the loop's thread]
class ApiFaults {
public:
    void add(ApiFault fault) { faults_.push_back(std::move(fault)); }
    void clear() { faults_.clear(); }
    const std::vector<ApiFault>& all() const noexcept { return faults_; }
    /// The number of requests that a fault was taken for.
    std::size_t taken() const noexcept { return taken_; }

    /// The first fault that is for this request. Uses up one of its `times`.
    std::optional<ApiFault> take(const ApiRequest& request);

private:
    std::vector<ApiFault> faults_;
    std::size_t taken_ = 0;
};

/// The refusal with the fault's `status`.
StatusError refusal_of(const ApiFault& fault, const ApiRequest& request);

/// The object of other_kind or nameless, in place of one of `kind`.
json::object odd_object(ResponseCorruption how, std::string_view kind);

/// A fault in the JSON of /capstan/faults: {"verb": "patch", "resource": "nodes", "skip": 1,
/// "status": 429, "retryAfterSeconds": 1, "delayMs": 0, "cut": false, "carriedOut": false,
/// "spoil": "torn", "afterEvents": 3, "lagMs": 0, "times": 2}; times 0: until the fault is removed.
/// 400: an unknown member, or a value of a wrong type.
Answer<ApiFault> parse_fault(const json::object& written);
json::object fault_object(const ApiFault& fault);

}  // namespace capstan::simulator::api_server
