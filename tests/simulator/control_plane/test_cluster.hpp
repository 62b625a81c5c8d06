/// A simulated control plane on a manual clock.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "simulator/api_server/custom_kinds.hpp"
#include "simulator/api_server/label_query.hpp"
#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::simulator::control_plane {

using namespace std::chrono_literals;

/// 2026-11-21T10:00:00Z
inline constexpr Time test_start = time_from_unix_ns(1'795'255'200'000'000'000);

inline json::object parsed(std::string_view text) {
    return json::parse(api_server::json_view(text)).as_object();
}

/// Parses JSON that is written with 'single quotes'.
inline json::object quoted_object(std::string text) {
    for (char& c : text)
        if (c == '\'') c = '"';
    return parsed(text);
}

struct TestCluster : ::testing::Test {
    explicit TestCluster(ControlPlane::Options options = {}) : control_plane(store, options) {}

    boost::asio::io_context io{};
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>(test_start);
    io::ManualLoop loop{io, clock};
    api_server::ObjectStore store{loop, {}};
    api_server::CustomKinds custom_kinds{store};
    ControlPlane control_plane;

    void SetUp() override { control_plane.start(); }

    void advance(Duration time) { loop.advance(time); }

    void create(const std::string& resource, const std::string& text,
                const std::string& space = "default") {
        const api_server::ResourceKind& kind = store.kind(resource);
        const auto made = store.create(kind, kind.namespaced ? space : "", quoted_object(text));
        ASSERT_TRUE(made) << made.error();
    }
    void add_node(const std::string& name, const std::string& cpu = "4",
                  const std::string& more = "") {
        create("nodes", "{'metadata':{'name':'" + name + "'" + more +
                            "},'status':{'capacity':{'cpu':'" + cpu +
                            "','memory':'16Gi','pods':'110'}}}");
    }
    void add_nodes(int count) {
        for (int i = 1; i <= count; ++i) add_node("n" + std::to_string(i));
    }
    /// `spec`: further members of the pod's spec, each followed by a comma.
    static std::string pod_template(const std::string& cpu = "1", const std::string& spec = "",
                                    const std::string& image = "web:1",
                                    const std::string& annotations = "") {
        return "{'metadata':{'labels':{'app':'web'},'annotations':{" + annotations + "}},'spec':{" +
               spec + "'containers':[{'name':'c','image':'" + image +
               "','resources':{'requests':{'cpu':'" + cpu + "'}}}]}}";
    }
    void add_pod(const std::string& name, const std::string& spec = "",
                 const std::string& metadata = "", const std::string& cpu = "1") {
        create("pods", "{'metadata':{'name':'" + name + "'" + metadata + "},'spec':{" + spec +
                           "'containers':[{'name':'c','image':'web:1','resources':{'requests':"
                           "{'cpu':'" +
                           cpu + "'}}}]}}");
    }
    /// A workload that selects app=web. `spec`: further members of its spec, each followed by a
    /// comma.
    void add_workload(const std::string& resource, const std::string& name, const std::string& spec,
                      const std::string& pod = pod_template()) {
        create(resource, "{'metadata':{'name':'" + name + "'},'spec':{" + spec +
                             "'selector':{'matchLabels':{'app':'web'}},'template':" + pod + "}}");
    }

    api_server::ApiObject find(const std::string& resource, const std::string& name,
                               const std::string& space = "default") const {
        const api_server::ResourceKind& kind = store.kind(resource);
        return store.find(kind, kind.namespaced ? space : "", name);
    }
    json::object get(const std::string& resource, const std::string& name) const {
        const api_server::ApiObject found = find(resource, name);
        EXPECT_NE(found, nullptr) << resource << " " << name;
        return found == nullptr ? json::object() : *found;
    }
    std::vector<api_server::ApiObject> all(const std::string& resource) const {
        return store.list(store.kind(resource)).items;
    }
    /// "Pending 1, Running 3"; pods with a deletion timestamp are "terminating".
    std::string phases() const {
        std::map<std::string, int> counts;
        for (const api_server::ApiObject& pod : all("pods"))
            ++counts[is_terminating(*pod) ? "terminating"
                                          : std::string(api_server::text_at(*pod, "status.phase"))];
        std::string out;
        for (const auto& [phase, count] : counts)
            out += (out.empty() ? "" : ", ") + phase + " " + std::to_string(count);
        return out;
    }
    std::int64_t number(const std::string& resource, const std::string& name,
                        const std::string& path) const {
        return api_server::integer_at(get(resource, name), path).value_or(0);
    }
    std::string text(const std::string& resource, const std::string& name,
                     const std::string& path) const {
        return std::string(api_server::text_at(get(resource, name), path));
    }
    /// A condition as "False Unschedulable: 0/1 nodes ...".
    std::string condition(const std::string& resource, const std::string& name,
                          const std::string& type) const {
        const json::object object = get(resource, name);
        const json::object* found = api_server::find_condition(object, type);
        if (found == nullptr) return "none";
        const std::string message(api_server::text_at(*found, "message"));
        return std::string(api_server::text_at(*found, "status")) + " " +
               std::string(api_server::text_at(*found, "reason")) + (message.empty() ? "" : ": ") +
               message;
    }
    /// The messages of all events with this reason, in order of creation.
    std::vector<std::string> event_messages(const std::string& reason) const {
        std::vector<std::pair<std::uint64_t, std::string>> found;
        for (const api_server::ApiObject& event : all("events"))
            if (api_server::text_at(*event, "reason") == reason)
                found.emplace_back(std::stoull(std::string(
                                       api_server::text_at(*event, "metadata.resourceVersion"))),
                                   api_server::text_at(*event, "message"));
        std::ranges::sort(found);
        std::vector<std::string> out;
        for (auto& [when, message] : found) out.push_back(std::move(message));
        return out;
    }
    void edit(const std::string& resource, const std::string& name,
              const std::function<void(json::object&)>& change,
              api_server::ObjectPart part = api_server::ObjectPart::everything) {
        const api_server::ResourceKind& kind = store.kind(resource);
        const auto kept =
            store.edit(kind, kind.namespaced ? "default" : "", name, change, {.part = part});
        ASSERT_TRUE(kept) << kept.error();
    }
    void set(const std::string& resource, const std::string& name, const std::string& path,
             json::value value) {
        edit(resource, name,
             [&](json::object& object) { api_server::set_value(object, path, std::move(value)); });
    }
    void remove(const std::string& resource, const std::string& name,
                api_server::RemoveOptions options = {}) {
        const api_server::ResourceKind& kind = store.kind(resource);
        const auto gone = store.remove(kind, kind.namespaced ? "default" : "", name, options);
        ASSERT_TRUE(gone) << gone.error();
    }
};

}  // namespace capstan::simulator::control_plane
