/// A reflector of nodes on a scripted API server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../scripted_api.hpp"
#include "io/loop.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/watch/reflector.hpp"

namespace capstan::kubernetes::client {

/// Records changes: "[" a list begins, "+a" set, "-a" removed, "]" the list is complete.
struct RecordedStore final : KindStore {
    void begin_replace() override { changes += "["; }
    void finish_replace() override { changes += "]"; }
    void set(const boost::json::value& object) override { changes += "+" + name_of(object); }
    void remove(const boost::json::value& object) override { changes += "-" + name_of(object); }
    void settle() override {}

    static std::string name_of(const boost::json::value& object) {
        return std::string(base::text_at(object, "metadata.name"));
    }
    /// The changes since the last call.
    std::string take() { return std::exchange(changes, {}); }
    std::string changes;
};

inline std::string node_text(const std::string& name, int version) {
    return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" +
           std::to_string(version) + R"("}})";
}
inline std::string line(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
inline std::string bookmark(int version) {
    return line("BOOKMARK",
                R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("}})");
}
inline std::string initial_end(int version) {
    return line("BOOKMARK", R"({"metadata":{"resourceVersion":")" + std::to_string(version) +
                                R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}
inline std::string error_line(int code, const std::string& reason,
                              const std::string& message = "") {
    return line("ERROR", R"({"kind":"Status","status":"Failure","code":)" + std::to_string(code) +
                             R"(,"reason":")" + reason + R"(","message":")" + message + R"("})");
}
/// A page of a list; `next`: the continue token of the next page.
inline std::string page(int version, const std::vector<std::string>& objects,
                        const std::string& next = "", const ApiResource& of = resources::nodes) {
    std::string out = R"({"kind":")" + std::string(of.kind) + R"(List","apiVersion":")" +
                      api_version_of(of) + R"(","metadata":{"resourceVersion":")" +
                      std::to_string(version) + R"(","continue":")" + next + R"("},"items":[)";
    for (std::size_t i = 0; i < objects.size(); ++i) out += (i > 0 ? "," : "") + objects[i];
    return out + "]}";
}
inline std::string status_body(const std::string& reason, const std::string& message = "") {
    return R"({"kind":"Status","reason":")" + reason + R"(","message":")" + message + R"("})";
}

struct FollowedKind {
    explicit FollowedKind(bool watch_list, bool is_optional = false)
        : reflector(api, loop, store,
                    {.what = watch_target(resources::nodes),
                     .is_optional = is_optional,
                     .page = 2,
                     .watch_list = watch_list,
                     .seed = 5,
                     .on_error = [this](const Error& e) { errors.push_back(e.message); }}) {
        reflector.start();
    }

    const ScriptedApi::Asked& open() const { return api.first(); }
    /// The open request: "list", "watch" or "watch list", with resourceVersion, continue and limit.
    std::string open_query() const {
        std::map<std::string, std::string> query;
        for (const auto& [key, value] : open().request.query) query[key] = value;
        std::string out = query.contains("watch") ? "watch" : "list";
        if (query.contains("sendInitialEvents")) out += " list";
        for (const char* key : {"resourceVersion", "continue", "limit"}) {
            if (query.contains(key)) out += std::string(" ") + key + "=" + query[key];
        }
        return out;
    }
    void push(const std::string& text) { api.push(open().id, text); }
    /// Advances the clock until the next request. Returns the elapsed time.
    Duration wait_for_request() {
        const Duration before = loop.monotonic();
        while (api.open_count() == 0) {
            const auto due = loop.next_due();
            if (!due) return Duration::max();
            loop.advance(*due - loop.monotonic());
        }
        return loop.monotonic() - before;
    }
    /// Refuses `times` connections; the next request stays open.
    void refuse_connections(int times) {
        for (int i = 0; i < times; ++i) {
            api.fail({ErrorCode::unavailable, "connection refused"});
            wait_for_request();
        }
    }
    /// Answers the list, which is at version 10, with node a; the watch begins at version 10.
    void sync() {
        api.answer({.body = page(10, {node_text("a", 3)})});
        store.take();
    }

    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    RecordedStore store;
    std::vector<std::string> errors;
    Reflector reflector;
};

}  // namespace capstan::kubernetes::client
