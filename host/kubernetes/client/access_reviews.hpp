/// Asks an API server what this client may do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>

#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

struct AccessRule {
    std::string verb{};   ///< "list"; "*": all
    std::string group{};  ///< "apps"; empty: the core's
    std::string resource{};
    std::string subresource{};
    std::string ns{};    ///< empty: all namespaces, or none has it
    std::string name{};  ///< empty: all of them
    bool operator==(const AccessRule&) const = default;
};
/// "update leases.coordination.k8s.io cluster-autoscaler in kube-system", "create pods/eviction".
std::string to_string(const AccessRule& rule);

struct AccessAnswer {
    AccessRule rule{};
    bool is_allowed = false;
    std::string reason{};          ///< the server's; often empty
    std::optional<Error> error{};  ///< it could not be asked
};

/// By SelfSubjectAccessReviews, which every authenticated client may make. Used on the loop's
/// thread alone.
class AccessReviews {
public:
    using Done = std::function<void(std::vector<AccessAnswer>)>;

    /// Borrows both. Asks `at_once` rules at the same time, at least one.
    AccessReviews(Api& api, io::Loop& loop, std::size_t at_once = 8)
        : at_once_(at_once), calls_(api, loop) {}

    /// An answer for each rule, in their order. `done` is not called inside this, nor once this
    /// object is gone.
    void review(const std::vector<AccessRule>& rules, Done done);

private:
    struct Review;
    void ask_next(std::shared_ptr<Review> review);

    const std::size_t at_once_;
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
