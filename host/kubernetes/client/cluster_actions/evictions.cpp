#include "kubernetes/client/cluster_actions/evictions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/json/serialize.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes::client {
namespace {

constexpr std::string_view budget_cause = "DisruptionBudget";

std::string where(const engine::Eviction& eviction) {
    return "evict pod " + eviction.ns + "/" + eviction.pod;
}

std::string eviction_body(const engine::Eviction& eviction) {
    boost::json::object options;
    if (eviction.grace)
        options["gracePeriodSeconds"] = std::max<std::int64_t>(
            std::chrono::ceil<std::chrono::seconds>(*eviction.grace).count(), 0);
    if (!eviction.uid.empty())
        options["preconditions"] = boost::json::object{{"uid", eviction.uid}};
    boost::json::object body{
        {"apiVersion", "policy/v1"},
        {"kind", "Eviction"},
        {"metadata", {{"name", eviction.pod}, {"namespace", eviction.ns}}},
    };
    if (!options.empty()) body["deleteOptions"] = std::move(options);
    return boost::json::serialize(body);
}

/// The budget's name in the server's message, which begins with "The disruption budget NAME ".
std::string find_budget(std::string_view message) {
    constexpr std::string_view before = "disruption budget ";
    const std::size_t at = message.find(before, message.find(budget_cause));
    if (at == std::string_view::npos) return {};
    const std::string_view name = message.substr(at + before.size());
    return std::string(name.substr(0, name.find(' ')));
}

Error as_budget(const engine::Eviction& eviction, Error error) {
    if (error.code != ErrorCode::throttled || error.message.find(budget_cause) == std::string::npos)
        return error;
    error.provider_code = budget_cause;
    if (const std::string budget = find_budget(error.message); !budget.empty())
        error.subject = eviction.ns + "/" + budget;
    return error;
}

bool is_two_budgets(const Error& error) {
    return error.message.find("more than one PodDisruptionBudget") != std::string::npos;
}

bool is_about_identity(ErrorCode code) {
    return code == ErrorCode::conflict || code == ErrorCode::invalid_argument;
}

}  // namespace

void Evictions::evict(const engine::Eviction& eviction, Done done) {
    ApiRequest request{.method = "POST",
                       .path = path_of(resources::pods, eviction.ns, eviction.pod, "eviction"),
                       .body = eviction_body(eviction),
                       .purpose = "eviction"};
    calls_.send(std::move(request),
                [this, eviction, done = std::move(done)](Result<ApiReply> reply) {
                    if (reply) return done({});
                    Error error = within(where(eviction), std::move(reply).error());
                    if (is_two_budgets(error)) {
                        error.code = ErrorCode::unsupported;
                        return done(fail(std::move(error)));
                    }
                    if (!eviction.uid.empty() && is_about_identity(error.code))
                        return check_identity(eviction, std::move(error), done);
                    done(fail(as_budget(eviction, std::move(error))));
                });
}

// A conflict means either another uid or a concurrent write to the pod. Servers word the two
// differently from version to version, so the pod is read to compare its uid.
void Evictions::check_identity(const engine::Eviction& eviction, Error conflict, Done done) {
    ApiRequest request{.path = path_of(resources::pods, eviction.ns, eviction.pod),
                       .purpose = "eviction"};
    calls_.send(std::move(request), [eviction, conflict = std::move(conflict),
                                     done = std::move(done)](Result<ApiReply> reply) mutable {
        const bool is_gone = !reply && reply.error().code == ErrorCode::not_found;
        const Result<boost::json::object> pod = parse_object(std::move(reply));
        const bool is_another = pod && base::text_at(*pod, "metadata.uid") != eviction.uid;
        if (is_gone || is_another) conflict.code = ErrorCode::not_found;
        done(fail(std::move(conflict)));
    });
}

}  // namespace capstan::kubernetes::client
