/// Credentials that stay the same.
#pragma once

#include <utility>

#include <capstan/task.hpp>

#include "aws_client.hpp"

namespace capstan::aws {

/// Always gives the credentials of the constructor, also from `renew`. Without an access key id
/// requests are sent unsigned, as AssumeRoleWithWebIdentity requires.
class StaticCredentials : public CredentialsProvider {
public:
    StaticCredentials() = default;
    explicit StaticCredentials(Credentials credentials) : credentials_(std::move(credentials)) {}

    Task<Credentials> get() override { co_return credentials_; }
    Task<Credentials> renew(std::string) override { co_return credentials_; }

private:
    Credentials credentials_{};
};

}  // namespace capstan::aws
