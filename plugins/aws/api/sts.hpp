/// STS and IAM: identities, and what they may do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/task.hpp>

namespace capstan::aws {

class AwsClient;

struct CallerIdentity {
    std::string account{}, arn{}, user_id{};
};

/// [strand]
class StsApi {
public:
    explicit StsApi(AwsClient& client) : client_(client) {}
    Task<CallerIdentity> get_caller_identity();

private:
    AwsClient& client_;
};

/// [strand]
class IamApi {
public:
    explicit IamApi(AwsClient& client) : client_(client) {}
    /// Of each action whether the principal's policies allow it on `resource`.
    struct Verdict {
        std::string action{};
        bool is_allowed = false;
        std::string decision{};  ///< "allowed", "implicitDeny", "explicitDeny"
    };
    Task<std::vector<Verdict>> simulate_principal_policy(std::string principal_arn,
                                                         std::vector<std::string> actions,
                                                         std::string resource);

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
