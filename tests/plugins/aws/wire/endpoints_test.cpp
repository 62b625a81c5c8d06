#include "wire/endpoints.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include <capstan/json.hpp>

namespace capstan::aws {
namespace {

Json endpoint_table() {
    std::ostringstream text;
    text << std::ifstream("tests/cases/aws/endpoints.json").rdbuf();
    const Result<Json> table = parse_json(text.str());
    EXPECT_TRUE(table) << table.error().message;
    return *table;
}

Service service_named(const std::string& name) {
    for (const Service service : all_services) {
        if (name_of(service) == name) return service;
    }
    ADD_FAILURE() << name;
    return {};
}

TEST(AwsEndpoints, AreThoseOfBotocoreInEachPartition) {
    const Json table = endpoint_table();
    ASSERT_GE(table.items().size(), 250U);
    for (const Json& row : table.items()) {
        const Service service = service_named(row.items().at(0).text());
        const std::string& region = row.items().at(1).text();
        EndpointConfig config;
        config.fips = row.items().at(2).boolean();
        config.dual_stack = row.items().at(3).boolean();
        EXPECT_EQ(endpoint_of(service, region, config), row.items().at(4).text()) << to_string(row);
        EXPECT_EQ(signing_region_of(service, region), row.items().at(5).text()) << to_string(row);
    }
}

TEST(AwsEndpoints, UseThePartitionThatMatchesTheRegionPrefix) {
    const std::pair<const char*, const char*> cases[] = {{"eu-central-1", "aws"},
                                                         {"us-east-1", "aws"},
                                                         {"cn-north-1", "aws-cn"},
                                                         {"us-gov-west-1", "aws-us-gov"},
                                                         {"us-iso-east-1", "aws-iso"},
                                                         {"us-isob-east-1", "aws-iso-b"},
                                                         {"eu-isoe-west-1", "aws-iso-e"},
                                                         {"us-isof-south-1", "aws-iso-f"},
                                                         {"eusc-de-east-1", "aws-eusc"},
                                                         {"xx-new-9", "aws"},
                                                         {"", "aws"}};
    for (const auto& [region, partition] : cases)
        EXPECT_EQ(partition_of(region), partition) << region;
}

TEST(AwsEndpoints, CanBeOverridden) {
    EndpointConfig config;
    config.fips = true;
    config.overrides["ec2"] = "http://127.0.0.1:5000/";
    EXPECT_EQ(endpoint_of(Service::ec2, "eu-central-1", config), "http://127.0.0.1:5000");
    EXPECT_EQ(endpoint_of(Service::sts, "eu-central-1", config),
              "https://sts-fips.eu-central-1.amazonaws.com");
}

TEST(AwsEndpoints, PreferTheOverrideOfTheService) {
    EndpointConfig config;
    config.overrides[""] = "https://proxy.example/aws//";
    config.overrides["iam"] = "https://iam.example";
    EXPECT_EQ(endpoint_of(Service::sqs, "eu-central-1", config), "https://proxy.example/aws");
    EXPECT_EQ(endpoint_of(Service::iam, "eu-central-1", config), "https://iam.example");
}

TEST(AwsEndpoints, IgnoreAnEmptyOverride) {
    EndpointConfig config;
    config.overrides[""] = "";
    EXPECT_EQ(endpoint_of(Service::eks, "eu-west-1", config),
              "https://eks.eu-west-1.amazonaws.com");
}

}  // namespace
}  // namespace capstan::aws
