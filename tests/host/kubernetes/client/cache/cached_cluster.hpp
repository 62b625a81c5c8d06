/// Fixture for tests of ClusterCache on a scripted API server.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "../watch/followed_kind.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"
#include "kubernetes/client/cache/object_cache.hpp"

namespace capstan::kubernetes::client {

inline std::string pod_line(const std::string& name, int version, const std::string& node = "",
                            const std::string& reason = "") {
    const std::string condition =
        reason.empty() ? ""
                       : R"({"type":"PodScheduled","status":"False","reason":")" + reason + R"("})";
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","resourceVersion":")" +
           std::to_string(version) + R"("},"spec":{"nodeName":")" + node +
           R"(","containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{"conditions":[)" +
           condition + "]}}";
}
inline std::string pod_page(int version, const std::vector<std::string>& pods,
                            const std::string& next = "") {
    return page(version, pods, next, resources::pods);
}
inline std::string with_uid(std::string object, const std::string& uid) {
    return object.insert(object.find(R"("name")"), R"("uid":")" + uid + R"(",)");
}
inline std::string ready_node(const std::string& name, int version, const std::string& heartbeat) {
    return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" +
           std::to_string(version) +
           R"("},"status":{"allocatable":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True",)"
           R"("lastHeartbeatTime":")" +
           heartbeat + R"(","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

/// A cache of all kinds on a scripted API server.
struct ClusterCacheTest : ::testing::Test {
    using Texts = std::vector<std::string>;

    /// Answers the list of each kind, by default with an empty page.
    void sync(const std::string& pods = pod_page(10, {}), const std::string& nodes = page(10, {})) {
        if (api.asked().empty()) cache.start();
        while (has_open("list")) {
            const ScriptedApi::Asked& asked = *find_open("list");
            const std::string& path = asked.request.path;
            const std::string body = path == "/api/v1/pods"    ? pods
                                     : path == "/api/v1/nodes" ? nodes
                                                               : empty_page(path);
            api.answer(asked.id, {.body = body});
        }
    }
    /// Of the kind that has this path.
    static std::string empty_page(const std::string& path) {
        const auto kind = std::ranges::find_if(
            cached_kinds(), [&](const CachedKind& each) { return path_of(each.resource) == path; });
        return page(10, {}, "", kind->resource);
    }
    static bool is_watch(const ScriptedApi::Asked& asked) {
        return asked.line().find("watch=true") != std::string::npos;
    }
    const ScriptedApi::Asked* find_open(const std::string& what, const std::string& path = "") {
        for (const ScriptedApi::Asked& asked : api.asked()) {
            if (asked.is_open && is_watch(asked) == (what == "watch") &&
                (path.empty() || asked.request.path == path))
                return &asked;
        }
        return nullptr;
    }
    bool has_open(const std::string& what) { return find_open(what) != nullptr; }
    void push(const std::string& path, const std::string& text) {
        api.push(find_open("watch", path)->id, text);
    }
    /// The server opens all watches.
    void accept_watches() {
        for (std::size_t i = 0; i < api.asked().size(); ++i)
            if (api.asked()[i].is_open && is_watch(api.asked()[i])) api.accept(api.asked()[i].id);
    }
    /// Expires the pod watch and waits for the list request.
    void expire_pods() {
        push("/api/v1/pods", error_line(410, "Expired"));
        loop.advance(std::chrono::seconds(2));
    }
    std::vector<std::string> pods() {
        const Result<engine::snapshot::Cluster> cluster = cache.cluster(std::chrono::minutes(1));
        std::vector<std::string> out;
        for (engine::PodIndex i = 0; cluster && i < cluster->pod_count(); ++i)
            out.emplace_back(cluster->text(cluster->pod(i).name));
        std::ranges::sort(out);
        return out;
    }
    ReflectorStatus status(const std::string& kind) {
        for (const ReflectorStatus& each : cache.status()) {
            if (each.kind == kind) return each;
        }
        return {};
    }

    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    int changes = 0, unschedulable = 0;
    std::vector<std::string> errors;
    ClusterCache cache{api,
                       loop,
                       {.seed = 3,
                        .watch_list = false,
                        .on_change = [this] { ++changes; },
                        .on_unschedulable = [this] { ++unschedulable; },
                        .on_error = record_error(),
                        .on_unreadable = record_error()}};

    std::function<void(const std::string& kind, const Error& error)> record_error() {
        return [this](const std::string& kind, const Error& error) {
            errors.push_back(kind + ": " + error.message);
        };
    }
};

}  // namespace capstan::kubernetes::client
