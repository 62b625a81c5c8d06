/// A Lease on a fake API server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../scripted_api.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {

/// Stores a Lease; a write with an old resource version is a conflict.
class FakeLease {
public:
    std::optional<boost::json::object> lease{};
    int writes = 0;

    std::string holder() const {
        return lease ? std::string(base::text_at(*lease, "spec.holderIdentity")) : std::string();
    }
    std::int64_t transitions() const {
        return base::integer_at(*lease, "spec.leaseTransitions").value_or(0);
    }

    Answer answer(const ScriptedApi::Asked& asked) {
        if (asked.request.method == "GET") return lease ? stored() : refusal(404, "NotFound");
        auto body = asked.json().as_object();
        if (asked.request.method == "POST" && lease) return refusal(409, "AlreadyExists");
        if (asked.request.method == "PUT" && !lease) return refusal(404, "NotFound");
        if (asked.request.method == "PUT" &&
            base::text_at(body, "metadata.resourceVersion") != std::to_string(writes))
            return refusal(409, "Conflict");
        lease = std::move(body);
        base::make_object(*lease, "metadata")["resourceVersion"] = std::to_string(++writes);
        return stored();
    }

private:
    Answer stored() const { return {.body = boost::json::serialize(*lease)}; }
};

}  // namespace capstan::kubernetes::client
