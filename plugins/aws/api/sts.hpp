/// STS: the identity behind the credentials.
#pragma once

#include <string>
#include <string_view>

#include <capstan/task.hpp>

namespace capstan::aws {

class AwsClient;

struct CallerIdentity {
    std::string account{}, arn{}, user_id{};
};

/// The ARN for SimulatePrincipalPolicy (PolicySourceArn): the role of an assumed role, without the
/// role's path, which STS does not return; any other ARN as it is.
///     "arn:aws:sts::1:assumed-role/capstan/i-1"  ->  "arn:aws:iam::1:role/capstan"
std::string policy_source_of(std::string_view arn);

/// [strand]
class StsApi {
public:
    explicit StsApi(AwsClient& client) : client_(client) {}
    Task<CallerIdentity> get_caller_identity();

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
