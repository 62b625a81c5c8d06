// Watches of objects in small pages, by a plugin or the host itself: in the end each knows what
// there is, whatever went wrong, and a plugin was told of each version once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "client.hpp"
#include "kubernetes/client/watch/cluster_cache.hpp"
#include "kubernetes/client/watch/object_watch.hpp"

namespace capstan::faults {
namespace {

using simulation::api_server::ApiFault;
using namespace std::chrono_literals;
namespace json = boost::json;
/// Objects, and what stands in them.
using Texts = std::map<std::string, std::string>;

/// So small that the first list has three pages.
constexpr std::int64_t page = 2;

/// Nodes with a label that is written anew: five at the start, two more come, two go, and some of
/// that happens while no watch is open and is forgotten at once.
struct Changes : Client {
    Changes() {
        for (const char* name : {"n1", "n2", "n3", "n4", "n5"}) make(name);
        loop.after(10s, [this] {
            make("n6");
            write("n1", "second");
        });
        loop.after(45s, [this] {
            server.cut_watches();
            remove("n2");
            write("n3", "second");
            store.compact(store.revision());
        });
        loop.after(70s, [this] {
            make("n7");
            remove("n4");
            write("n1", "third");
        });
    }
    void make(const std::string& name) {
        json::object node{{"metadata", {{"name", name}, {"labels", {{"text", "first"}}}}}};
        EXPECT_TRUE(store.create(nodes, "", std::move(node)));
    }
    void write(const std::string& name, const char* text) {
        EXPECT_TRUE(store.edit(nodes, "", name, [text](json::object& node) {
            simulation::api_server::set_value(node, "metadata.labels.text", text);
        }));
    }
    void remove(const std::string& name) { EXPECT_TRUE(store.remove(nodes, "", name)); }
    Texts there() const {
        Texts out;
        for (const simulation::api_server::ApiObject& node : store.list(nodes).items)
            out.emplace(simulation::api_server::text_at(*node, "metadata.name"),
                        simulation::api_server::text_at(*node, "metadata.labels.text"));
        return out;
    }

    const simulation::api_server::ResourceKind& nodes = store.kind("nodes");
};

/// As a plugin follows them.
class Plugin {
public:
    explicit Plugin(Changes& changes) : watch_(changes.api, changes.loop, options()) {
        watch_.start();
    }
    Texts known() const { return known_; }
    const std::vector<std::string>& told_twice() const { return told_twice_; }

private:
    using Change = kubernetes::client::ObjectWatch::Change;
    kubernetes::client::ObjectWatch::Options options() {
        return {.path = "/api/v1/nodes",
                .api_version = "v1",
                .kind = "Node",
                .page = page,
                .seed = 1,
                .on_change = [this](Change change, const json::object& node) {
                    if (change != Change::synced) take(change, node);
                }};
    }
    void take(Change change, const json::object& node) {
        const std::string name(simulation::api_server::text_at(node, "metadata.name"));
        if (change == Change::deleted) {
            EXPECT_EQ(known_.erase(name), 1u) << name << " had not been told of";
            return;
        }
        const std::string version(
            simulation::api_server::text_at(node, "metadata.resourceVersion"));
        if (!versions_.insert(name + " " + version).second) told_twice_.push_back(name);
        known_[name] = std::string(simulation::api_server::text_at(node, "metadata.labels.text"));
    }

    Texts known_{};
    std::set<std::string> versions_{};
    std::vector<std::string> told_twice_{};
    kubernetes::client::ObjectWatch watch_;
};

/// As the host follows them.
class Host {
public:
    explicit Host(Changes& changes)
        : mirror_(changes.api, changes.loop, {.seed = 1, .page = page, .watch_list = false}) {
        mirror_.start();
    }
    Texts known() {
        Texts out;
        const auto cluster = mirror_.cluster(1min);
        if (!cluster) return {{"no cluster", cluster.error().message}};
        for (engine::snapshot::NodeIndex at = 0; at < cluster->node_count(); ++at)
            for (const auto& [key, value] :
                 engine::snapshot::to_labels(*cluster, cluster->node(at).labels))
                if (key == "text") out.emplace(cluster->text(cluster->node(at).name), value);
        return out;
    }
    static std::vector<std::string> told_twice() { return {}; }

private:
    kubernetes::client::ClusterCache mirror_;
};

struct Moment {
    const char* name;
    Duration from{};
    bool lasts = false;
};
constexpr Moment at_first[] = {{"once", 0s}, {"for a while", 0s, true}};
/// When the history is forgotten that a watch would go on from.
constexpr Moment later[] = {{"once, later", 45s}, {"for a while, later", 45s, true}};

template <class Follower>
class KeepingUp : public ::testing::Test {
protected:
    static void expect_recovery(const ApiFault& fault, std::span<const Mishap> all,
                                std::span<const Moment> moments) {
        for (const Mishap& mishap : all)
            for (const Moment& moment : moments) expect_recovery(fault, mishap, moment);
    }

private:
    static void expect_recovery(const ApiFault& fault, const Mishap& mishap, const Moment& moment) {
        SCOPED_TRACE(fault.verb + ", but for " + std::to_string(fault.skip) + ": " + mishap.name +
                     ", " + moment.name);
        Changes changes;
        Follower follower(changes);
        // A list of the server's cache, which the host asks for first, has but one page.
        if (fault.skip > 0) changes.server.faults().add({.verb = "list", .status = 422});
        const auto strike = [&] { changes.strike(fault, mishap, moment.lasts); };
        moment.from == Duration(0) ? strike() : void(changes.loop.after(moment.from, strike));
        changes.loop.advance(15min);
        EXPECT_GT(changes.server.faults().taken(), fault.skip > 0 ? 1u : 0u)
            << "there was no such request";
        EXPECT_EQ(follower.known(), changes.there());
        EXPECT_THAT(follower.told_twice(), ::testing::IsEmpty());
    }
};
using Followers = ::testing::Types<Plugin, Host>;
TYPED_TEST_SUITE(KeepingUp, Followers);

TYPED_TEST(KeepingUp, OutlivesFaultsOfLists) {
    this->expect_recovery({.verb = "list", .resource = "nodes"}, mishaps(), at_first);
    this->expect_recovery({.verb = "list", .resource = "nodes"}, mishaps(), later);
}
TYPED_TEST(KeepingUp, OutlivesFaultsOfLaterPages) {
    for (const int skip : {1, 2})
        this->expect_recovery({.verb = "list", .resource = "nodes", .skip = skip}, mishaps(),
                              at_first);
}
TYPED_TEST(KeepingUp, OutlivesFaultsOfOpeningAWatch) {
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, mishaps(), at_first);
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, mishaps(), later);
}
TYPED_TEST(KeepingUp, OutlivesFaultsOfOpenWatches) {
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, stream_mishaps(), at_first);
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, stream_mishaps(), later);
}

}  // namespace
}  // namespace capstan::faults
