#include <capstan/host.hpp>

#include <stdexcept>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>

namespace {

using capstan::ErrorCode;
using capstan::Host;
using capstan::testing::FakeHost;
using capstan::testing::LogLine;
using ::testing::ElementsAre;

TEST(Host, LogsLinesWithFields) {
    FakeHost host;
    host.host().warn("slow", {capstan::field("group", "web-a")});
    EXPECT_THAT(host.log_lines(),
                ElementsAre(LogLine{CAPSTAN_LOG_WARN, "slow", {{"group", "web-a"}}}));
}

TEST(Host, IsUsableWithoutServices) {
    FakeHost bare;
    for (const char* id : {CAPSTAN_SERVICE_LOG, CAPSTAN_SERVICE_CLOCK, CAPSTAN_SERVICE_METRICS,
                           CAPSTAN_SERVICE_SECRETS, CAPSTAN_SERVICE_STATE}) {
        bare.withhold(id);
    }
    const Host host = bare.host();
    host.info("nobody hears it");
    EXPECT_FALSE(host.logs(CAPSTAN_LOG_ERROR));
    EXPECT_EQ(host.random(), 0u);
    capstan::counter(host, "calls", "Calls.").record(1);
    EXPECT_EQ(host.with_secret("token", [](std::string_view) {}).error().code,
              ErrorCode::permission);
    EXPECT_EQ(capstan::read_state(host, "k").error().code, ErrorCode::permission);
    EXPECT_EQ(capstan::write_state(host, "k", "v", 0).error().code, ErrorCode::permission);
}

TEST(Host, PassesASecretToAFunction) {
    FakeHost host;
    host.secrets()["token"] = "s3cret";
    std::string seen;
    EXPECT_TRUE(host.host().with_secret("token", [&](std::string_view value) { seen = value; }));
    EXPECT_EQ(seen, "s3cret");
}

TEST(Host, ReportsWhyASecretIsMissing) {
    FakeHost host;
    EXPECT_EQ(host.host().with_secret("other", [](std::string_view) {}),
              capstan::fail(ErrorCode::permission, "secret other: is not granted"));
}

TEST(Host, PassesOnAnExceptionOfTheFunction) {
    FakeHost host;
    host.secrets()["token"] = "s3cret";
    const auto use = [](std::string_view) { throw std::runtime_error("cannot sign"); };
    EXPECT_THROW(std::ignore = host.host().with_secret("token", use), std::runtime_error);
}

TEST(Host, WritesStateByRevision) {
    FakeHost host;
    EXPECT_EQ(capstan::read_state(host.host(), "cursor").error().code, ErrorCode::not_found);
    EXPECT_EQ(capstan::write_state(host.host(), "cursor", "7", 0), 1u);
    EXPECT_EQ(capstan::write_state(host.host(), "cursor", "8", 0).error().code,
              ErrorCode::conflict);
    EXPECT_EQ(capstan::write_state(host.host(), "cursor", "8", 1), 2u);
    EXPECT_EQ(capstan::read_state(host.host(), "cursor")->value, "8");
}

TEST(PluginMetric, CountsByLabel) {
    FakeHost host;
    const capstan::Metric calls = capstan::counter(host.host(), "calls", "Calls.", {"group"});
    calls.record(1, {"a"});
    calls.record(2, {"a"});
    calls.record(5, {"b"});
    EXPECT_EQ(host.metric("calls", {"a"}), 3);
    EXPECT_EQ(host.metric("calls", {"b"}), 5);
    EXPECT_EQ(host.metric("calls", {"c"}), std::nullopt);
}

TEST(PluginMetric, CountsNothingIfItsNameIsTaken) {
    FakeHost host;
    const capstan::Metric first = capstan::gauge(host.host(), "nodes", "Nodes.");
    const capstan::Metric other = capstan::counter(host.host(), "nodes", "Nodes.");
    first.record(3);
    other.record(1);
    EXPECT_THAT(host.recorded("nodes"), ElementsAre(3));
}

}  // namespace
