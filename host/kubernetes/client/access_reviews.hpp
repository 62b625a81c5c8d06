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
    std::string group{};  ///< "apps"; empty: core
    std::string resource{};
    std::string subresource{};
    std::string ns{};    ///< empty: all namespaces, or a cluster-scoped resource
    std::string name{};  ///< empty: objects of all names
    bool operator==(const AccessRule&) const = default;
};
/// "update leases.coordination.k8s.io cluster-autoscaler in kube-system", "create pods/eviction".
std::string to_string(const AccessRule& rule);

struct AccessAnswer {
    AccessRule rule{};
    bool is_allowed = false;
    std::string reason{};          ///< the server's; often empty
    std::optional<Error> error{};  ///< why the review itself failed
};

/// Sends SelfSubjectAccessReviews, which each authenticated client may create. Used on the loop's
/// thread alone.
class AccessReviews {
public:
    using Done = std::function<void(std::vector<AccessAnswer>)>;

    /// Borrows `api` and `loop`. Each review() has up to `at_once` requests under way; 0 counts as
    /// 1.
    AccessReviews(Api& api, io::Loop& loop, std::size_t at_once = 8)
        : at_once_(at_once), calls_(api, loop) {}

    /// `done` gets one answer per rule, in the order of `rules`. `done` is not called inside this
    /// call, nor after this object's destruction.
    void review(const std::vector<AccessRule>& rules, Done done);

private:
    struct Review;
    void ask_next(std::shared_ptr<Review> review);

    const std::size_t at_once_;
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
