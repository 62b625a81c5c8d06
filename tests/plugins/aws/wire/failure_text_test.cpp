#include "wire/failure_text.hpp"

#include <gmock/gmock.h>

namespace capstan::aws {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct FailureCase {
    const char* message;
    ErrorCode code;
    const char* provider_code;
};

const FailureCase failure_cases[] = {
    {"Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not "
     "have "
     "sufficient m5.large capacity in the Availability Zone you requested (eu-central-1a). Our "
     "system will be working on provisioning additional capacity. Launching EC2 instance failed.",
     ErrorCode::out_of_capacity, "InsufficientInstanceCapacity"},
    {"We currently do not have sufficient p2.xlarge capacity in the Availability Zone you "
     "requested "
     "(us-east-1b). Launching EC2 instance failed.",
     ErrorCode::out_of_capacity, "InsufficientInstanceCapacity"},
    {"There is no Spot capacity available that matches your request. Launching EC2 instance "
     "failed.",
     ErrorCode::out_of_capacity, "InsufficientInstanceCapacity"},
    {"Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to "
     "your request configuration. Please adjust your request and try again.",
     ErrorCode::out_of_capacity, "UnfulfillableCapacity"},
    {"Could not launch Spot Instances. SpotMaxPriceTooLow - Your Spot request price of 0.001 is "
     "lower than the minimum required Spot request fulfillment price of 0.0031.",
     ErrorCode::out_of_capacity, "SpotMaxPriceTooLow"},
    {"Your Spot request price of 0.001 is lower than the minimum required Spot request fulfillment "
     "price of 0.0031. Launching EC2 instance failed.",
     ErrorCode::out_of_capacity, "SpotMaxPriceTooLow"},
    {"Your requested instance type (t3.large) is not supported in your requested Availability Zone "
     "(us-east-1e). Launching EC2 instance failed.",
     ErrorCode::out_of_capacity, "Unsupported"},
    {"There are not enough free addresses in subnet 'subnet-0a' to satisfy the requested number of "
     "instances. Launching EC2 instance failed.",
     ErrorCode::out_of_capacity, "InsufficientFreeAddressesInSubnet"},
    {"Max spot instance count exceeded. Placing Spot instance request failed.", ErrorCode::quota,
     "MaxSpotInstanceCountExceeded"},
    {"Could not launch Spot Instances. MaxSpotInstanceCountExceeded - Max spot instance count "
     "exceeded. Launching EC2 instance failed.",
     ErrorCode::quota, "MaxSpotInstanceCountExceeded"},
    {"You've reached your quota for maximum Fleet Requests for this account. Launching EC2 "
     "instance "
     "failed.",
     ErrorCode::quota, "MaxFleetCountExceeded"},
    {"VcpuLimitExceeded - You have requested more vCPU capacity than your current vCPU limit of 32 "
     "allows for the instance bucket that the specified instance type belongs to.",
     ErrorCode::quota, "VcpuLimitExceeded"},
    {"You have requested more vCPU capacity than your current vCPU limit of 32 allows for the "
     "instance bucket that the specified instance type belongs to. Launching EC2 instance failed.",
     ErrorCode::quota, "VcpuLimitExceeded"},
    {"You have requested more instances (21) than your current instance limit of 20 allows for the "
     "specified instance type. Launching EC2 instance failed.",
     ErrorCode::quota, "InstanceLimitExceeded"},
    {"Your quota allows for 0 more running instance(s). You requested at least 1. Launching EC2 "
     "instance failed.",
     ErrorCode::quota, "InstanceLimitExceeded"},
    {"Instance became unhealthy while waiting for instance to be in InService state. Termination "
     "Reason: Client.VolumeLimitExceeded: Volume limit exceeded",
     ErrorCode::quota, "Client.VolumeLimitExceeded"},
    {"Instance became unhealthy while waiting for instance to be in InService state. Termination "
     "Reason: Client.InternalError: Client error on launch",
     ErrorCode::permission, "Client.InternalError"},
    {"The security group 'sg-0abc' does not exist. Launching EC2 instance failed.",
     ErrorCode::invalid_config, "InvalidGroup.NotFound"},
    {"The key pair 'ops' does not exist. Launching EC2 instance failed.", ErrorCode::invalid_config,
     "InvalidKeyPair.NotFound"},
    {"The image id '[ami-0abc]' does not exist. Launching EC2 instance failed.",
     ErrorCode::invalid_config, "InvalidAMIID.NotFound"},
    {"Could not launch On-Demand Instances. InvalidAMIID.NotFound - The image id '[ami-0abc]' does "
     "not exist.",
     ErrorCode::invalid_config, "InvalidAMIID.NotFound"},
    {"Access denied when attempting to assume role arn:aws:iam::1:role/x. Validating load balancer "
     "configuration failed.",
     ErrorCode::permission, "AccessDenied"},
    {"Lifecycle hook timed out", ErrorCode::unavailable, ""},
    {"Blocked until the lifecycle hook has ended", ErrorCode::unavailable, ""},
};

TEST(FailureText, MapsEachAwsSentenceToAnErrorCode) {
    for (const FailureCase& c : failure_cases) {
        const Error error = classify_failure_text("Failed", c.message);
        EXPECT_EQ(error.code, c.code) << c.message;
        EXPECT_EQ(error.provider_code, c.provider_code) << c.message;
        EXPECT_EQ(error.message, c.message);
    }
}

TEST(FailureText, KeepsTheRefusalWithoutItsEncodedPart) {
    const Error error = classify_failure_text(
        "Failed",
        "You are not authorized to perform this operation. Encoded authorization failure message: "
        "Xy3-" +
            std::string(1200, 'z') + " Launching EC2 instance failed.");
    EXPECT_EQ(error.code, ErrorCode::permission);
    EXPECT_EQ(error.provider_code, "UnauthorizedOperation");
    EXPECT_EQ(error.message,
              "You are not authorized to perform this operation. (encoded message omitted) "
              "Launching EC2 instance failed.");
}

TEST(FailureText, FallsBackToTheStatus) {
    const Error error = classify_failure_text("Cancelled", "");
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.message, "the scaling activity ended with status Cancelled");
}

TEST(FailureText, IsOneLineOfLimitedLength) {
    const Error error = classify_failure_text("Failed", "a\nb\xff c" + std::string(9000, 'x'));
    EXPECT_THAT(error.message, Not(HasSubstr("\n")));
    EXPECT_THAT(error.message, HasSubstr("a b? c"));
    EXPECT_LE(error.message.size(), 1500U);
}

TEST(FailureText, HasAScopeIfTheCodeImpliesOne) {
    const auto scope_of = [](const char* message) {
        return classify_failure_text("Failed", message).scope;
    };
    EXPECT_EQ(scope_of("You have requested more vCPU capacity than your current vCPU limit of 32 "
                       "allows for the instance bucket that the specified instance type belongs "
                       "to."),
              ErrorScope::machine_type);
    EXPECT_EQ(scope_of("Max spot instance count exceeded."), ErrorScope::machine_type);
    EXPECT_EQ(scope_of("There are not enough free addresses in subnet 'subnet-0a' to satisfy the "
                       "requested number of instances."),
              ErrorScope::group);
    EXPECT_EQ(scope_of("We currently do not have sufficient p2.xlarge capacity in the Availability "
                       "Zone you requested (us-east-1b)."),
              ErrorScope::unknown)
        << "the engine uses the type and zone of the machine";
}

}  // namespace
}  // namespace capstan::aws
