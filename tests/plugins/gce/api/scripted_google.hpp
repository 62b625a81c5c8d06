/// Google behind a fake host. Returns responses by HTTP method and path, and records the requests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/run_task.hpp>
#include <capstan/url.hpp>

#include "wire/gce_client.hpp"

namespace capstan::gce {

class NoToken : public TokenProvider {
public:
    Task<AccessToken> get() override {
        AccessToken out;
        co_return std::move(out);
    }
    Task<AccessToken> renew(std::string) override { return get(); }
};

/// One request, with its path below the root of the service.
struct GoogleRequest {
    std::string method{}, path{};
    std::map<std::string, std::string> query{};
    std::string body{};
};

class ScriptedGoogle {
public:
    ScriptedGoogle() {
        host_.http().handle([this](const HttpRequest& request) { return respond(request); });
    }
    /// `call` is "GET projects/p/zones/z/instances". Responses are used in order, repeating the
    /// last.
    ScriptedGoogle& on(const std::string& call, std::string body, int status = 200) {
        responses_[call].push_back(testing::reply(status, std::move(body)));
        return *this;
    }
    testing::FakeHost& host() { return host_; }
    GceClient& client() { return client_; }
    const std::vector<GoogleRequest>& requests() const { return requests_; }
    template <class T>
    Result<T> run(Task<T> task) {
        return testing::run(host_, std::move(task));
    }

private:
    testing::HttpOutcome respond(const HttpRequest& request) {
        std::string url = request.url;
        GoogleRequest received{.method = request.method, .body = request.body};
        const std::size_t mark = url.find('?');
        if (mark != std::string::npos) {
            const auto query = parse_query(url.substr(mark + 1));
            for (const auto& [name, value] : *query) received.query[name] = value;
            url.resize(mark);
        }
        received.path = url.substr(url.find("projects/"));
        requests_.push_back(received);
        std::vector<HttpReply>& queue = responses_[received.method + " " + received.path];
        if (queue.empty()) return testing::reply(404, R"({"error":{"message":"no such thing"}})");
        HttpReply out = queue.front();
        if (queue.size() > 1) queue.erase(queue.begin());
        return out;
    }

    testing::FakeHost host_{};
    NoToken token_{};
    GceClient client_{host_.host(), {}, token_};
    std::map<std::string, std::vector<HttpReply>> responses_{};
    std::vector<GoogleRequest> requests_{};
};

inline constexpr const char* compute_root = "https://www.googleapis.com/compute/v1/";

/// A response to a change: an operation of the zone.
inline std::string operation_response(const std::string& more = {},
                                      const std::string& status = "RUNNING") {
    return R"({"kind":"compute#operation","id":"1","name":"op-1","status":")" + status +
           R"(","selfLink":")" + compute_root +
           R"(projects/shop/zones/us-central1-a/operations/op-1","targetId":"5")" + more + "}";
}

}  // namespace capstan::gce
