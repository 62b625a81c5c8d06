#include "sts.hpp"

#include <string_view>
#include <utility>

#include "../wire/aws_client.hpp"

namespace capstan::aws {
namespace {

/// A bound, should AWS always say that there is more.
constexpr int most_verdict_pages = 100;

}  // namespace

std::string policy_source_of(std::string_view arn) {
    // arn:aws:sts::123456789012:assumed-role/name/session
    constexpr std::string_view service = ":sts::", kind = ":assumed-role/";
    const std::size_t at = arn.find(service);
    const std::size_t role = arn.find(kind);
    if (at == std::string_view::npos || role == std::string_view::npos || role < at)
        return std::string(arn);
    const std::size_t account = at + service.size();
    const std::string_view rest = arn.substr(role + kind.size());
    return std::string(arn.substr(0, at)) +
           ":iam::" + std::string(arn.substr(account, role - account)) + ":role/" +
           std::string(rest.substr(0, rest.find('/')));
}

Task<CallerIdentity> StsApi::get_caller_identity() {
    QueryRequest request(Service::sts, "GetCallerIdentity");
    const XmlReply reply = co_await client_.call(std::move(request), Repeatable::yes);
    const XmlElement result = reply.result();
    co_return CallerIdentity{.account = result.text("Account"),
                             .arn = result.text("Arn"),
                             .user_id = result.text("UserId")};
}

Task<std::vector<IamApi::Verdict>> IamApi::simulate_principal_policy(
    std::string principal_arn, std::vector<std::string> actions, std::string resource) {
    std::vector<Verdict> out;
    if (actions.empty()) co_return out;
    QueryRequest first(Service::iam, "SimulatePrincipalPolicy");
    first.set("PolicySourceArn", std::move(principal_arn)).set_list("ActionNames.member", actions);
    if (!resource.empty()) first.set("ResourceArns.member.1", std::move(resource));
    std::string marker;
    for (int page = 0; page < most_verdict_pages; ++page) {
        QueryRequest request = first;
        if (!marker.empty()) request.set("Marker", marker);
        const XmlReply reply = co_await client_.call(std::move(request), Repeatable::yes);
        for (const XmlElement& member : reply.result().items("EvaluationResults")) {
            std::string decision = member.text("EvalDecision");
            const bool is_allowed = decision == "allowed";
            out.push_back({member.text("EvalActionName"), is_allowed, std::move(decision)});
        }
        marker = reply.result().text("Marker");
        if (!reply.result().boolean("IsTruncated").value_or(false) || marker.empty()) break;
    }
    co_return out;
}

}  // namespace capstan::aws
