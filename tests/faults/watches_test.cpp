// Watches of a plugin and of the host, with lists in small pages. After any fault both have the
// current objects, and the plugin was called at most once for each version of an object.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "client.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"
#include "kubernetes/client/watch/object_watch.hpp"

namespace capstan::faults {
namespace {

using simulator::api_server::ApiFault;
using namespace std::chrono_literals;
namespace json = boost::json;
/// The label `text` of each node, by node.
using Texts = std::map<std::string, std::string>;

/// Small, so that the first list has three pages.
constexpr std::int64_t page = 2;

/// Changes of nodes and of their label: five nodes at the start, two more are created, two are
/// deleted. Some of these changes happen while no watch is open and are discarded from the history
/// at once.
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
            simulator::api_server::set_value(node, "metadata.labels.text", text);
        }));
    }
    void remove(const std::string& name) { EXPECT_TRUE(store.remove(nodes, "", name)); }
    Texts current() const {
        Texts out;
        for (const simulator::api_server::ApiObject& node : store.list(nodes).items)
            out.emplace(simulator::api_server::text_at(*node, "metadata.name"),
                        simulator::api_server::text_at(*node, "metadata.labels.text"));
        return out;
    }

    const simulator::api_server::ResourceKind& nodes = store.kind("nodes");
};

/// Watches the nodes as a plugin does.
class Plugin {
public:
    explicit Plugin(Changes& changes) : watch_(changes.api, changes.loop, options()) {
        watch_.start();
    }
    Texts texts() const { return texts_; }
    const std::vector<std::string>& duplicates() const { return duplicates_; }

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
        const std::string name(simulator::api_server::text_at(node, "metadata.name"));
        if (change == Change::deleted) {
            EXPECT_EQ(texts_.erase(name), 1u) << name << " was not added before";
            return;
        }
        const std::string version(simulator::api_server::text_at(node, "metadata.resourceVersion"));
        if (!versions_.insert(name + " " + version).second) duplicates_.push_back(name);
        texts_[name] = std::string(simulator::api_server::text_at(node, "metadata.labels.text"));
    }

    Texts texts_{};
    std::set<std::string> versions_{};
    std::vector<std::string> duplicates_{};
    kubernetes::client::ObjectWatch watch_;
};

/// Watches the nodes as the host does.
class Host {
public:
    explicit Host(Changes& changes)
        : cache_(changes.api, changes.loop, {.seed = 1, .page = page, .watch_list = false}) {
        cache_.start();
    }
    Texts texts() {
        Texts out;
        const auto cluster = cache_.cluster(1min);
        if (!cluster) return {{"no cluster", cluster.error().message}};
        for (engine::NodeIndex at = 0; at < cluster->node_count(); ++at)
            for (const auto& [key, value] :
                 engine::snapshot::to_labels(*cluster, cluster->node(at).labels))
                if (key == "text") out.emplace(cluster->text(cluster->node(at).name), value);
        return out;
    }
    static std::vector<std::string> duplicates() { return {}; }

private:
    kubernetes::client::ClusterCache cache_;
};

struct FaultWindow {
    const char* name;
    Duration from{};
    bool lasts = false;
};
constexpr FaultWindow at_first[] = {{"once", 0s}, {"for a while", 0s, true}};
/// When watches are cut and the history is discarded.
constexpr FaultWindow later[] = {{"once, later", 45s}, {"for a while, later", 45s, true}};

template <class Watcher>
class WatchRecovery : public ::testing::Test {
protected:
    static void expect_recovery(const ApiFault& fault, std::span<const FaultVariant> all,
                                std::span<const FaultWindow> windows) {
        for (const FaultVariant& variant : all)
            for (const FaultWindow& window : windows) expect_recovery(fault, variant, window);
    }

private:
    static void expect_recovery(const ApiFault& fault, const FaultVariant& variant,
                                const FaultWindow& window) {
        SCOPED_TRACE(fault.verb + " after " + std::to_string(fault.skip) +
                     " that succeed: " + variant.name + ", " + window.name);
        Changes changes;
        Watcher watcher(changes);
        // The host lists from the server's cache first, and such a list has only one page. This
        // list is refused, so that the next one has pages.
        if (fault.skip > 0) changes.server.faults().add({.verb = "list", .status = 422});
        const auto inject = [&] { changes.inject(fault, variant, window.lasts); };
        window.from == Duration(0) ? inject() : void(changes.loop.after(window.from, inject));
        changes.loop.advance(15min);
        EXPECT_GT(changes.server.faults().taken(), fault.skip > 0 ? 1u : 0u)
            << "no request matched the fault";
        EXPECT_EQ(watcher.texts(), changes.current());
        EXPECT_THAT(watcher.duplicates(), ::testing::IsEmpty());
    }
};
using Watchers = ::testing::Types<Plugin, Host>;
TYPED_TEST_SUITE(WatchRecovery, Watchers);

TYPED_TEST(WatchRecovery, SucceedsAfterFaultsOfLists) {
    this->expect_recovery({.verb = "list", .resource = "nodes"}, fault_variants(), at_first);
    this->expect_recovery({.verb = "list", .resource = "nodes"}, fault_variants(), later);
}
TYPED_TEST(WatchRecovery, SucceedsAfterFaultsOfLaterPages) {
    for (const int skip : {1, 2})
        this->expect_recovery({.verb = "list", .resource = "nodes", .skip = skip}, fault_variants(),
                              at_first);
}
TYPED_TEST(WatchRecovery, SucceedsAfterFaultsOfOpeningAWatch) {
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, fault_variants(), at_first);
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, fault_variants(), later);
}
TYPED_TEST(WatchRecovery, SucceedsAfterFaultsOfOpenWatches) {
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, stream_fault_variants(),
                          at_first);
    this->expect_recovery({.verb = "watch", .resource = "nodes"}, stream_fault_variants(), later);
}

}  // namespace
}  // namespace capstan::faults
