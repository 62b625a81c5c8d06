// The case `mirror`: the client's ClusterCache with lists, events, and a second list.
#include <chrono>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "cases.hpp"
#include "io/loop.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"
#include "kubernetes_text.hpp"
#include "measured.hpp"

namespace capstan::bench {
namespace {

using kubernetes::client::Api;
using kubernetes::client::ApiReply;
using kubernetes::client::ApiRequest;

/// The size of one read of a socket.
constexpr std::size_t socket_piece_size = 64 << 10;

/// An API client whose lists are generated piece by piece, since a whole list may be more than a
/// gigabyte of text.
class GeneratedApi final : public Api {
public:
    struct Count {
        int nodes = 0, pods = 0;
    };
    GeneratedApi(boost::asio::io_context& io, Count count) : io_(io), count_(count) {}

    RequestId send(ApiRequest, Done) override {
        throw std::logic_error("the cache sends no single requests");
    }
    RequestId stream(ApiRequest request, Part on_part, Done done) override {
        bool is_watch = false;
        for (const auto& [key, value] : request.query) is_watch = is_watch || key == "watch";
        if (is_watch) {
            watches_[request.path] = std::move(on_part);
        } else {
            boost::asio::post(io_, [this, path = request.path, on_part = std::move(on_part),
                                    done = std::move(done)] {
                send_list(path, on_part);
                done(ApiReply{.status = 200});
            });
        }
        return ++last_id_;
    }
    void cancel(RequestId) override {}
    kubernetes::client::SuccessNotifier& success_notifier() override { return notifier_; }

    void push(const std::string& path, const std::string& text) { watches_.at(path)(text); }
    std::size_t text_bytes() const { return text_bytes_; }

private:
    void send_list(const std::string& path, const Part& on_part) {
        if (path == "/api/v1/nodes") return send_items(on_part, count_.nodes, node_text);
        if (path == "/api/v1/pods")
            return send_items(on_part, count_.pods, [](int i) { return pod_text(i); });
        if (path == "/apis/apps/v1/replicasets")
            return send_items(on_part, count_.pods / 30, replica_set_text);
        send_items(on_part, 0, node_text);
    }
    void send_items(const Part& on_part, int count, const std::function<std::string(int)>& text) {
        std::string piece = list_head();
        const auto flush = [&] {
            text_bytes_ += piece.size();
            on_part(piece);
            piece.clear();
        };
        for (int i = 0; i < count; ++i) {
            if (i > 0) piece += ',';
            piece += text(i);
            if (piece.size() >= socket_piece_size) flush();
        }
        piece += list_tail();
        flush();
    }

    boost::asio::io_context& io_;
    Count count_;
    RequestId last_id_ = 0;
    std::map<std::string, Part> watches_;
    std::size_t text_bytes_ = 0;
    kubernetes::client::SuccessNotifier notifier_;
};

/// CPU seconds of one call.
double cpu_seconds_of(const std::function<void()>& part) {
    return Measured::repeat(1, [] {}, part).cpu_median();
}

engine::snapshot::Cluster cluster_of(kubernetes::client::ClusterCache& cache) {
    auto cluster = cache.cluster(std::chrono::hours(1));
    if (!cluster) throw std::runtime_error(cluster.error().message);
    return *std::move(cluster);
}

/// Watch events that move each pod to the next node.
std::string moved_pods(int count, int nodes) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += R"({"type":"MODIFIED","object":)" + pod_text(i, (i + 1) % nodes) + "}\n";
    return out;
}

}  // namespace

boost::json::object measure_mirror(int nodes, int pods) {
    constexpr const char* pods_path = "/api/v1/pods";
    constexpr int changed = 1000;
    boost::asio::io_context io;
    io::ManualLoop loop(io, std::make_shared<io::ManualClock>());
    GeneratedApi api(io, {.nodes = nodes, .pods = pods});
    kubernetes::client::ClusterCache cache(api, loop, {.watch_list = false});
    const Measured synced = Measured::repeat(
        1, [] {},
        [&] {
            cache.start();
            loop.settle();
        });
    const double text_mb = static_cast<double>(api.text_bytes()) / (1 << 20);
    const double first = cpu_seconds_of([&] { cluster_of(cache); });
    const double synced_rss = peak_megabytes();
    const std::string events = moved_pods(std::min(changed, pods), nodes);
    const double changed_seconds = cpu_seconds_of([&] { api.push(pods_path, events); });
    const double next = cpu_seconds_of([&] { cluster_of(cache); });
    const double relisted = cpu_seconds_of([&] {
        api.push(pods_path,
                 R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})");
        loop.advance(std::chrono::seconds(2));
    });
    const double last = cpu_seconds_of([&] { cluster_of(cache); });
    const engine::snapshot::Cluster cluster = cluster_of(cache);
    return synced.line("mirror", {{"nodes", cluster.node_count()},
                                  {"pods", cluster.pod_count()},
                                  {"text_mb", text_mb},
                                  {"rss_mb_synced", synced_rss},
                                  {"snapshot_mb", static_cast<double>(cluster.bytes()) / (1 << 20)},
                                  {"first_cluster_seconds", first},
                                  {"changed_pods_seconds", changed_seconds},
                                  {"changed_cluster_seconds", next},
                                  {"relist_seconds", relisted},
                                  {"relisted_cluster_seconds", last}});
}

}  // namespace capstan::bench
