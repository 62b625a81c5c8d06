#include "config.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_settings.hpp>

namespace capstan::external_grpc {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::IsEmpty;

FakeSettings settings_with(const std::string& address) {
    FakeSettings out{cloud_schema()};
    out.set("address", address);
    return out;
}

TEST(ExternalGrpcConfig, NeedsOnlyAnAddress) {
    FakeSettings settings = settings_with("https://grpc.example:8086/");
    check_cloud_config(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const CloudConfig config = read_cloud_config(settings.view());
    EXPECT_EQ(config.server.url, "https://grpc.example:8086");
    EXPECT_EQ(config.server.authority, "");
    EXPECT_EQ(config.server.timeout, std::chrono::seconds(10));
    EXPECT_EQ(config.refresh_every, Duration::zero());
    EXPECT_EQ(config.details_every, std::chrono::minutes(1));
    EXPECT_EQ(config.defaults.unneeded_time, std::chrono::minutes(10));
    EXPECT_EQ(config.parallel_calls, 16u);
}

TEST(ExternalGrpcConfig, ReportsAnInvalidAddress) {
    const std::pair<const char*, const char*> cases[] = {
        {"grpc.example:8086", "has no scheme; expected https:// or http://"},
        {"ftp://grpc.example", "unknown scheme ftp; expected https or http"},
        {"https://", "has no server name"},
        {"https://:8086", "has no server name"},
        {"https://grpc.example/api", "must not have a path; gRPC sets it"},
        {"https://grpc.example?a=b", "must not have a path; gRPC sets it"},
        {"https://a:b@grpc.example", "must not have credentials; gRPC does not send them"},
        {"https://grpc.example", ""},
        {"http://127.0.0.1:8086", ""},
        {"http://[::1]:8086/", ""}};
    for (const auto& [address, why] : cases) EXPECT_EQ(find_address_mistake(address), why);
}

TEST(ExternalGrpcConfig, RejectsInvalidValues) {
    const std::pair<const char*, testing::Value> cases[] = {{"address", "https://grpc.example/api"},
                                                            {"timeout", "0s"},
                                                            {"currency", "usd"},
                                                            {"currency", "DOLLAR"}};
    for (const auto& [key, value] : cases) {
        FakeSettings settings = settings_with("https://grpc.example");
        settings.set(key, value);
        check_cloud_config(settings.view());
        ASSERT_EQ(settings.rejections().size(), 1u) << key;
        EXPECT_EQ(settings.rejections()[0].path, key);
    }
}

TEST(ExternalGrpcConfig, ReadsTheServerOfAnExpanderLikeThatOfACloud) {
    FakeSettings settings{expander_schema()};
    settings.set("address", "https://grpc.example:8086/");
    settings.set("authority", "expander.internal");
    check_expander_config(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const ExpanderConfig config = read_expander_config(settings.view());
    EXPECT_EQ(config.server.url, "https://grpc.example:8086");
    EXPECT_EQ(config.server.authority, "expander.internal");
    EXPECT_EQ(config.server.timeout, std::chrono::seconds(5)) << "the default of upstream";
    EXPECT_EQ(config.request_size_max, ExpanderConfig().request_size_max);
    settings.set("address", "https://grpc.example/api");
    settings.set("timeout", "0s");
    check_expander_config(settings.view());
    ASSERT_EQ(settings.rejections().size(), 2u);
    EXPECT_EQ(settings.rejections()[0].path, "address");
    EXPECT_EQ(settings.rejections()[1].path, "timeout");
}

}  // namespace
}  // namespace capstan::external_grpc
