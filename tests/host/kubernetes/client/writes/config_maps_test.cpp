#include "kubernetes/client/writes/config_maps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;
using boost::json::parse;

struct ConfigMapsTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    ConfigMaps maps{api, loop, 1};
    const ConfigMapName name{"kube-system", "status"};
    std::optional<Result<ConfigMap>> outcome;

    void write(ConfigMapChange change) {
        outcome.reset();
        maps.write(name, std::move(change),
                   [this](Result<ConfigMap> result) { outcome = std::move(result); });
    }
    void next(Answer answer) {
        loop.advance(1s);
        api.answer(std::move(answer));
    }
    ErrorCode code() const { return outcome.value().error().code; }
    static Answer stored(std::string_view version = "7") {
        return {.body = R"({"metadata":{"name":"status","resourceVersion":")" +
                        std::string(version) +
                        R"(","annotations":{"theirs":"1"},"labels":{"l":"1"}},
                        "data":{"status":"old","other":"2"},"immutable":false})"};
    }
};

TEST_F(ConfigMapsTest, ReadsAConfigMap) {
    maps.read(name, [this](Result<ConfigMap> result) { outcome = std::move(result); });
    EXPECT_EQ(api.first().line(), "GET /api/v1/namespaces/kube-system/configmaps/status");
    next(stored());
    EXPECT_EQ(outcome.value()->data.at("status"), "old");
    EXPECT_EQ(outcome.value()->annotations.at("theirs"), "1");
    EXPECT_EQ(outcome.value()->resource_version, "7");
    maps.read(name, [this](Result<ConfigMap> result) { outcome = std::move(result); });
    next(refusal(404, "NotFound"));
    EXPECT_EQ(code(), ErrorCode::not_found);
}

TEST_F(ConfigMapsTest, CreatesAMissingConfigMap) {
    write({.data = {{"status", "new"}, {"none", std::nullopt}}, .annotations = {{"at", "now"}}});
    next(refusal(404, "NotFound"));
    EXPECT_EQ(api.first().line(), "POST /api/v1/namespaces/kube-system/configmaps");
    EXPECT_EQ(api.first().json(), parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":
        {"name":"status","namespace":"kube-system","annotations":{"at":"now"}},
        "data":{"status":"new"}})"));
    next(stored());
    EXPECT_TRUE(outcome.value().has_value());
}

TEST_F(ConfigMapsTest, KeepsForeignData) {
    write({.data = {{"status", "new"}}, .annotations = {{"theirs", std::nullopt}}});
    next(stored());
    EXPECT_EQ(api.first().line(), "PUT /api/v1/namespaces/kube-system/configmaps/status");
    EXPECT_EQ(api.first().json(), parse(R"({"metadata":{"name":"status","resourceVersion":"7",
        "annotations":{},"labels":{"l":"1"}},"data":{"status":"new","other":"2"},
        "immutable":false})"));
    next(stored("8"));
    EXPECT_EQ(outcome.value()->resource_version, "8");
}

TEST_F(ConfigMapsTest, SkipsAWriteWithoutChanges) {
    write({.data = {{"status", "old"}, {"none", std::nullopt}}, .annotations = {{"theirs", "1"}}});
    next(stored());
    EXPECT_EQ(outcome.value()->resource_version, "7");
    EXPECT_EQ(api.asked().size(), 1u);
}

TEST_F(ConfigMapsTest, GivesUpAfterFiveConflicts) {
    write({.data = {{"status", "new"}}});
    next(refusal(404, "NotFound"));
    next(refusal(409, "AlreadyExists"));
    for (int i = 0; i < 4; ++i) {
        next(stored(std::to_string(i)));
        EXPECT_EQ(api.first().json().at_pointer("/metadata/resourceVersion"),
                  boost::json::string(std::to_string(i)));
        next(refusal(409, "Conflict"));
    }
    loop.advance(1h);
    EXPECT_EQ(api.asked().size(), 10u);
    EXPECT_EQ(code(), ErrorCode::conflict);
}

TEST_F(ConfigMapsTest, RejectsContentAboveTheApiLimit) {
    // The key "status"; the key "other" with its value.
    const std::size_t room = (std::size_t{1} << 20) - 6 - 6;
    write({.data = {{"status", std::string(room, 'x')}}});
    next(stored());
    EXPECT_EQ(api.open_count(), 1u);
    next({});
    write({.data = {{"status", std::string(room + 1, 'x')}}});
    next(stored());
    EXPECT_EQ(code(), ErrorCode::quota);
    EXPECT_NE(outcome->error().message.find("1048577 bytes; the API allows 1048576"),
              std::string::npos)
        << outcome->error();
    write({.annotations = {{"a", std::string(300'000, 'x')}}});
    next(refusal(404, "NotFound"));
    EXPECT_EQ(code(), ErrorCode::quota);
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(ConfigMapsTest, ReturnsOtherErrorsOfTheServer) {
    const std::vector<std::pair<int, ErrorCode>> cases{
        {400, ErrorCode::invalid_argument}, {401, ErrorCode::unauthenticated},
        {403, ErrorCode::permission},       {413, ErrorCode::quota},
        {422, ErrorCode::invalid_argument}, {429, ErrorCode::throttled},
        {500, ErrorCode::unavailable},      {503, ErrorCode::unavailable}};
    for (const auto& [status, expected] : cases) {
        for (const bool at_write : {false, true}) {
            SCOPED_TRACE(std::to_string(status) + (at_write ? " PUT" : " GET"));
            write({.data = {{"status", "new"}}});
            if (at_write) next(stored());
            next(refusal(status, "Whatever"));
            EXPECT_EQ(code(), expected);
            EXPECT_EQ(api.open_count(), 0u);
        }
    }
}

TEST_F(ConfigMapsTest, TreatsAMissingConfigMapAsDeleted) {
    std::vector<bool> results;
    for (const Answer& answer : {Answer{}, refusal(404, "NotFound"), refusal(403, "Forbidden")}) {
        maps.remove(name, [&](Result<void> result) { results.push_back(result.has_value()); });
        EXPECT_EQ(api.first().line(), "DELETE /api/v1/namespaces/kube-system/configmaps/status");
        next(answer);
    }
    EXPECT_EQ(results, (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace capstan::kubernetes::client
