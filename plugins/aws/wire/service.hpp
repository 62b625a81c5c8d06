/// The services of AWS that are called, and what is the same for each of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace capstan::aws {

enum class Service : std::uint8_t { auto_scaling, ec2, eks, sts, iam, sqs };

/// What a signature, an endpoint and IAM call it: "autoscaling".
constexpr std::string_view name_of(Service service) noexcept {
    switch (service) {
        case Service::auto_scaling: return "autoscaling";
        case Service::ec2: return "ec2";
        case Service::eks: return "eks";
        case Service::sts: return "sts";
        case Service::iam: return "iam";
        case Service::sqs: return "sqs";
    }
    return "";
}

}  // namespace capstan::aws
