/// A cluster and a configuration for `capstan doctor`, on virtual time.
#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/checkup.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"
#include "simulator/api_server/local_http_client.hpp"

namespace capstan::autoscaler::daemon {

/// An HTTP client that changes replies.
class ReplyChanger final : public io::HttpClient {
public:
    using Change = std::function<void(const HttpRequest&, HttpReply&)>;

    explicit ReplyChanger(io::HttpClient& inner) : inner_(inner) {}
    RequestId send(HttpRequest request, Done done) override {
        return inner_.send(request,
                           [this, request, done = std::move(done)](Result<HttpReply> reply) {
                               if (reply && change) change(request, *reply);
                               done(std::move(reply));
                           });
    }
    RequestId stream(HttpRequest request, Listener listener, Done done) override {
        return inner_.stream(std::move(request), std::move(listener), std::move(done));
    }
    void cancel(RequestId id) override { inner_.cancel(id); }

    Change change{};

private:
    io::HttpClient& inner_;
};

inline const std::string one_group =
    "groups = [{ id = \"web\", machine = { cpu = \"4\", memory = \"16Gi\" } }]";

/// A pipeline with the simulated cloud "eu" and these settings.
inline std::string cloud_of(const std::string& settings) {
    return "[pipeline]\nclouds = [\"eu\"]\n[plugin.eu]\nclass = \"simulated\"\nsettings = { " +
           settings + " }\n";
}

/// A cluster and a configuration at 2026-11-21 10:00:00.
class CheckupCluster {
public:
    explicit CheckupCluster(const std::string& config = cloud_of(one_group),
                            const std::string& kubeconfig = "kubeconfig")
        : assembly_(cluster_toml(kubeconfig) + config) {
        if (!assembly_.diagnostics().empty())
            throw std::invalid_argument(assembly_.diagnostics().text());
        network.change = [this](const HttpRequest& request, HttpReply& reply) {
            if (request.url.ends_with("/version")) return set_date(reply);
            if (request.url.ends_with("/selfsubjectaccessreviews")) refuse_access(request, reply);
        };
    }
    /// The findings: "good: clock: agrees with the API server", with advice after an arrow.
    std::vector<std::string> findings() {
        std::vector<std::string> out;
        for (const Finding& finding : examine(assembly_.config(), *host_, "test", &network)) {
            const char* verdict = finding.verdict == Verdict::good      ? "good"
                                  : finding.verdict == Verdict::warning ? "warning"
                                                                        : "missing";
            out.push_back(std::string(verdict) + ": " + finding.what + ": " + finding.found +
                          (finding.fix.empty() ? "" : " -> " + finding.fix));
        }
        return out;
    }
    std::size_t needed() const { return needed_rules(assembly_.config()).size(); }

    std::set<std::string> refused{};  ///< "patch nodes"
    std::string reason{};             ///< the server's reason for refusals
    /// The Date header of the server. Absent: its own; "": none.
    std::optional<std::string> date{};

private:
    std::string cluster_toml(const std::string& kubeconfig) const {
        std::ofstream(folder_.path() / "kubeconfig") << R"({"apiVersion":"v1","kind":"Config",
"current-context":"c","clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";
        return "[log]\nlevel = \"error\"\n[cluster]\nkubeconfig = \"" +
               (folder_.path() / kubeconfig).string() + "\"\n";
    }
    void set_date(HttpReply& reply) const {
        if (!date) return;
        std::erase_if(reply.headers, [](const auto& header) { return header.first == "date"; });
        if (!date->empty()) reply.headers.emplace_back("date", *date);
    }
    void refuse_access(const HttpRequest& request, HttpReply& reply) const {
        const auto asked = kubernetes::base::parse_json_object(request.body).value();
        const auto text = [&](const char* key) {
            return std::string(
                kubernetes::base::text_at(asked, std::string("spec.resourceAttributes.") + key));
        };
        const kubernetes::client::AccessRule rule{text("verb"),      text("group"),
                                                  text("resource"),  text("subresource"),
                                                  text("namespace"), text("name")};
        if (reply.status != 201 || !refused.contains(to_string(rule))) return;
        reply.body = R"({"status":{"allowed":false,"reason":")" + reason + "\"}}";
    }

    plugin_runtime::TemporaryFolder folder_;
    const Assembly assembly_;
    const std::shared_ptr<io::ManualClock> clock_ =
        std::make_shared<io::ManualClock>(time_from_unix_ns(1'795'255'200'000'000'000));
    const std::unique_ptr<PluginHost> host_ =
        PluginHost::start(assembly_.config(), assembly_.plugins(),
                          {.seed = 1, .version = "test", .clock = clock_, .has_cluster = true})
            .value();
    simulator::api_server::ObjectStore store_{host_->loop(),
                                              simulator::api_server::ObjectStore::Options{}};

public:
    simulator::api_server::ApiServer server{store_};
    simulator::api_server::LocalHttpClient wire{server, host_->loop()};
    ReplyChanger network{wire};
};

}  // namespace capstan::autoscaler::daemon
