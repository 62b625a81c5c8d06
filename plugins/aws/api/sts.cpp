#include "sts.hpp"

#include <string_view>
#include <utility>

#include "../wire/aws_client.hpp"

namespace capstan::aws {
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

}  // namespace capstan::aws
