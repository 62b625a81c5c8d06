/// An API server without a network, on a manual clock.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "simulator/api_server/api_server.hpp"

namespace capstan::simulator::api_server {

/// 2026-11-21T10:00:00Z
inline constexpr Time test_start = time_from_unix_ns(1'795'255'200'000'000'000);

inline json::object parsed(std::string_view text) {
    return json::parse(json_view(text)).as_object();
}

struct ApiServerTest : ::testing::Test {
    struct Response {
        int status = 0;
        json::object body{};
        HttpReply reply{};
    };

    boost::asio::io_context io{};
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>(test_start);
    io::ManualLoop loop{io, clock};
    ObjectStore store{loop, {}};
    ApiServer server{store};
    std::string accept = "application/json";

    Response send(std::string method, std::string target, std::string body = {},
                  std::string type = "application/json") {
        const auto reply = server.answer({.method = std::move(method),
                                          .target = std::move(target),
                                          .headers = {{"accept", accept},
                                                      {"content-type", std::move(type)},
                                                      {"user-agent", "tester/1.0"}},
                                          .body = std::move(body)});
        loop.settle();
        if (!reply) return {};
        boost::system::error_code error;
        json::value value = json::parse(reply->body, error);
        return {reply->status, value.is_object() ? value.get_object() : json::object(), *reply};
    }
    Response get(std::string target) { return send("GET", std::move(target)); }
    /// A pod that runs on a node, ready.
    void run_pod(const std::string& name, const std::string& labels = "{}") {
        json::object pod = parsed(R"({"metadata":{"name":")" + name + R"(","labels":)" + labels +
                                  R"(},"spec":{"nodeName":"n1","containers":[{"name":"c"}]},
            "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
        const auto made =
            store.create(store.kind("pods"), "default", pod, {.part = ObjectPart::everything});
        ASSERT_TRUE(made) << made.error();
    }
};

}  // namespace capstan::simulator::api_server
