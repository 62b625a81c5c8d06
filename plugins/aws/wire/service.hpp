/// The services of AWS that the plugin calls.
#pragma once

#include <cstdint>
#include <string_view>

namespace capstan::aws {

enum class Service : std::uint8_t { auto_scaling, ec2, eks, sts, iam, sqs };

/// The service's name in signatures, endpoints and IAM actions: "autoscaling".
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

/// The `Version` of the service's query or ec2 protocol; empty for a service with JSON.
constexpr std::string_view api_version_of(Service service) noexcept {
    switch (service) {
        case Service::auto_scaling: return "2011-01-01";
        case Service::ec2: return "2016-11-15";
        case Service::sts: return "2011-06-15";
        case Service::iam: return "2010-05-08";
        case Service::eks:
        case Service::sqs: break;
    }
    return "";
}

/// The environment variable that overrides the service's endpoint in all AWS clients.
constexpr const char* endpoint_variable_of(Service service) noexcept {
    switch (service) {
        case Service::auto_scaling: return "AWS_ENDPOINT_URL_AUTO_SCALING";
        case Service::ec2: return "AWS_ENDPOINT_URL_EC2";
        case Service::eks: return "AWS_ENDPOINT_URL_EKS";
        case Service::sts: return "AWS_ENDPOINT_URL_STS";
        case Service::iam: return "AWS_ENDPOINT_URL_IAM";
        case Service::sqs: return "AWS_ENDPOINT_URL_SQS";
    }
    return "";
}

inline constexpr Service all_services[] = {Service::auto_scaling, Service::ec2, Service::eks,
                                           Service::sts,          Service::iam, Service::sqs};

}  // namespace capstan::aws
