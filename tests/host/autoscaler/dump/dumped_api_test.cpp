#include "autoscaler/dump/dumped_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>

#include "kubernetes/client/discovery.hpp"

namespace capstan::autoscaler::dump {
namespace {

using kubernetes::client::ApiReply;
using kubernetes::client::ApiRequest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string config_map(const std::string& ns, const std::string& name, const std::string& app) {
    return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"namespace":")" + ns +
           R"(","name":")" + name + R"(","labels":{"app":")" + app + R"("}}})";
}

class DumpedApiTest : public ::testing::Test {
protected:
    Result<ApiReply> send(ApiRequest request) {
        std::optional<Result<ApiReply>> out;
        api_->send(std::move(request), [&](Result<ApiReply> reply) { out = std::move(reply); });
        EXPECT_FALSE(out) << "called inside send";
        loop_.settle();
        return out.value();
    }
    boost::json::object get(const std::string& path, ApiRequest::Query query = {}) {
        return boost::json::parse(send({.path = path, .query = std::move(query)}).value().body)
            .as_object();
    }
    std::vector<std::string> names(const std::string& path, ApiRequest::Query query = {}) {
        std::vector<std::string> out;
        const boost::json::object list = get(path, std::move(query));
        for (const auto& item : list.at("items").as_array())
            out.emplace_back(item.at("metadata").at("name").as_string());
        return out;
    }
    ErrorCode error_of(ApiRequest request) { return send(std::move(request)).error().code; }

    boost::asio::io_context io_;
    io::ManualLoop loop_{io_, std::make_shared<io::ManualClock>(Time())};
    std::unique_ptr<DumpedApi> api_ =
        DumpedApi::make(loop_, {config_map("shop", "a", "web"), config_map("shop", "b", "db"),
                                config_map("other", "a", "web"),
                                R"({"kind":"Balancer","apiVersion":"balancer.x-k8s.io/v1alpha1",
                             "metadata":{"namespace":"shop","name":"web"}})"})
            .value();
};

TEST_F(DumpedApiTest, HasTheObjectsOfTheDump) {
    EXPECT_EQ(get("/api/v1/namespaces/shop/configmaps/b").at("metadata").at("name"), "b");
    EXPECT_THAT(names("/api/v1/configmaps"), ElementsAre("a", "b", "a"));
    EXPECT_THAT(names("/api/v1/namespaces/shop/configmaps"), ElementsAre("a", "b"));
    EXPECT_EQ(get("/api/v1/configmaps").at("kind"), "ConfigMapList");
    EXPECT_THAT(names("/apis/balancer.x-k8s.io/v1alpha1/namespaces/shop/balancers"),
                ElementsAre("web"));
    EXPECT_EQ(error_of({.path = "/api/v1/namespaces/shop/configmaps/c"}), ErrorCode::not_found);
}

TEST_F(DumpedApiTest, SelectsByFieldsAndLabels) {
    const std::string path = "/api/v1/configmaps";
    EXPECT_THAT(names(path, {{"fieldSelector", "metadata.name=b"}}), ElementsAre("b"));
    EXPECT_THAT(names(path, {{"fieldSelector", "metadata.name==a,metadata.namespace=other"}}),
                ElementsAre("a"));
    EXPECT_THAT(names(path, {{"labelSelector", "app in (db)"}}), ElementsAre("b"));
    EXPECT_EQ(error_of({.path = path, .query = {{"fieldSelector", "data.x=b"}}}),
              ErrorCode::invalid_argument);
    EXPECT_EQ(error_of({.path = path, .query = {{"labelSelector", "app in"}}}),
              ErrorCode::invalid_argument);
}

TEST_F(DumpedApiTest, KnowsKindsWithoutObjectsByTheirGroup) {
    EXPECT_THAT(names("/apis/apps/v1/deployments"), IsEmpty());
    EXPECT_THAT(names("/api/v1/namespaces/shop/pods"), IsEmpty());
    EXPECT_EQ(error_of({.path = "/apis/example.com/v1/things"}), ErrorCode::not_found);
    EXPECT_EQ(error_of({.path = "/version"}), ErrorCode::not_found);
    EXPECT_EQ(error_of({.path = "/api/v1/namespaces/shop/pods/x/log"}), ErrorCode::not_found);
}

TEST_F(DumpedApiTest, IsDiscovered) {
    const auto core = kubernetes::client::find_served_kinds(get("/api"));
    ASSERT_TRUE(core);
    EXPECT_EQ(core->at("").front().plural, "configmaps");
    const auto others = kubernetes::client::find_served_kinds(get("/apis"));
    ASSERT_TRUE(others);
    EXPECT_EQ(others->size(), 1u);
    EXPECT_EQ(others->at("balancer.x-k8s.io").front().kind, "Balancer");
}

TEST_F(DumpedApiTest, IsNotChanged) {
    EXPECT_EQ(error_of({.method = "POST", .path = "/api/v1/namespaces/shop/configmaps"}),
              ErrorCode::cancelled);
    EXPECT_EQ(DumpedApi::make(loop_, {"[]"}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(DumpedApi::make(loop_, {R"({"kind":"X"})"}).error().code,
              ErrorCode::invalid_argument);
}

TEST_F(DumpedApiTest, WatchesAreSilentUntilTheyAreCancelled) {
    std::vector<std::string> parts;
    std::optional<Result<ApiReply>> end;
    const auto watch = api_->stream(
        {.path = "/api/v1/configmaps", .query = {{"watch", "true"}}},
        [&](std::string_view part) { parts.emplace_back(part); },
        [&](Result<ApiReply> reply) { end = std::move(reply); });
    loop_.advance(std::chrono::hours(1));
    EXPECT_THAT(parts, ElementsAre(""));
    EXPECT_FALSE(end);
    api_->cancel(watch);
    EXPECT_FALSE(end) << "called inside cancel";
    loop_.settle();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->error().code, ErrorCode::cancelled);
}

TEST_F(DumpedApiTest, StreamsAList) {
    std::vector<std::string> parts;
    std::optional<Result<ApiReply>> end;
    api_->stream(
        {.path = "/api/v1/configmaps"}, [&](std::string_view part) { parts.emplace_back(part); },
        [&](Result<ApiReply> reply) { end = std::move(reply); });
    loop_.settle();
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts.front(), "");
    EXPECT_EQ(boost::json::parse(parts.back()).at("items").as_array().size(), 3u);
    ASSERT_TRUE(end && *end);
    EXPECT_EQ((*end)->body, "");
}

}  // namespace
}  // namespace capstan::autoscaler::dump
