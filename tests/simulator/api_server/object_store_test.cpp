#include "simulator/api_server/object_store.hpp"

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ObjectStoreTest : ApiServerTest {
    const ResourceKind& maps = store.kind("configmaps");
    const ResourceKind& pods = store.kind("pods");

    ApiObject make(const std::string& name) {
        return store.create(maps, "default", parsed(R"({"metadata":{"name":")" + name + "\"}}"))
            .value();
    }
    std::vector<std::string> received{};
    Subscriber listener() {
        return {[this](const Change& change) {
                    const char* types[] = {"added", "modified", "deleted"};
                    received.push_back(std::string(types[static_cast<int>(change.type)]) + " " +
                                       std::string(text_at(*change.object, "metadata.name")));
                },
                [this] { received.push_back("expired"); }};
    }
};

TEST_F(ObjectStoreTest, UsesOneRevisionForAllKinds) {
    const std::uint64_t before = store.revision();
    EXPECT_EQ(text_at(*make("a"), "metadata.resourceVersion"), std::to_string(before + 1));
    run_pod("p");
    EXPECT_EQ(text_at(*make("b"), "metadata.resourceVersion"), std::to_string(before + 3));
}

TEST_F(ObjectStoreTest, SetsUidAndCreationTimeOfNewObjects) {
    const ApiObject made = make("a");
    EXPECT_EQ(text_at(*made, "metadata.creationTimestamp"), "2026-11-21T10:00:00Z");
    EXPECT_EQ(text_at(*made, "metadata.uid").size(), 36u);
    EXPECT_EQ(text_at(*made, "kind"), "ConfigMap");
    EXPECT_NE(text_at(*made, "metadata.uid"), text_at(*make("b"), "metadata.uid"));
}

TEST_F(ObjectStoreTest, GeneratesNames) {
    const auto made =
        store.create(maps, "default", parsed(R"({"metadata":{"generateName":"web-"}})"));
    ASSERT_TRUE(made) << made.error();
    EXPECT_THAT(std::string(text_at(**made, "metadata.name")),
                ::testing::MatchesRegex("web-[b-z2-9]{5}"));
}

TEST_F(ObjectStoreTest, RejectsInvalidObjectsLikeTheApiServer) {
    make("there");
    struct Case {
        const char* space;
        const char* object;
        int code;
        const char* message;
    };
    const Case cases[] = {
        {"default", R"({"metadata":{"name":"there"}})", 409, "already exists"},
        {"nowhere", R"({"metadata":{"name":"x"}})", 404, "namespaces \"nowhere\" not found"},
        {"default", R"({"metadata":{}})", 422, "name or generateName is required"},
        {"default", R"({"metadata":{"name":"Big"}})", 422, "RFC 1123"},
        {"default", R"({"metadata":{"name":"a-"}})", 422, "RFC 1123"},
        {"default", R"({"metadata":{"name":"a..b"}})", 422, "RFC 1123"},
        {"default", R"({"kind":"Pod","metadata":{"name":"x"}})", 400, "cannot be handled"},
        {"default", R"({"metadata":{"name":"x","namespace":"other"}})", 400, "does not match"},
        {"default", R"({"metadata":{"name":"x","resourceVersion":"3"}})", 400, "should not be set"},
    };
    for (const Case& c : cases) {
        const auto made = store.create(maps, c.space, parsed(c.object));
        ASSERT_FALSE(made) << c.object;
        EXPECT_EQ(made.error().code, c.code) << c.object;
        EXPECT_THAT(made.error().message, HasSubstr(c.message));
    }
}

TEST_F(ObjectStoreTest, RejectsInvalidQuantities) {
    const auto make_pod = [&](const std::string& amount) {
        return store
            .create(pods, "default",
                    parsed(R"({"metadata":{"generateName":"p"},"spec":{"containers":[{"name":"c",
            "resources":{"requests":{"cpu":)" +
                           amount + "}}}]}}"))
            .has_value();
    };
    for (const char* amount : {R"("1")", R"("1500m")", R"("16Gi")", R"("0.5")", R"("1e3")",
                               R"("1E-2")", R"("-1")", R"("5E")", "1", "0.5"})
        EXPECT_TRUE(make_pod(amount)) << amount;
    for (const char* amount : {R"("")", R"("a")", R"("1 Gi")", R"("1.2.3")", R"("16gb")", R"(".")",
                               R"("1e")", "null", "{}", "true"})
        EXPECT_FALSE(make_pod(amount)) << amount;
    const auto refused =
        store.create(store.kind("deployments.apps"), "default",
                     parsed(R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[
            {"name":"c","resources":{"limits":{"memory":"much"}}}]}}}})"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, 400);
    EXPECT_THAT(refused.error().message, HasSubstr("memory: quantities must match"));
}

TEST_F(ObjectStoreTest, RejectsAnUpdateWithAnOldResourceVersion) {
    json::object old = *make("a");
    const auto put = [](json::object& map) { map["data"] = json::object{{"k", "v"}}; };
    ASSERT_TRUE(store.edit(maps, "default", "a", put));
    const auto late = store.update(maps, "default", "a", old);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, 409);
    EXPECT_EQ(late.error().reason, "Conflict");
    old["metadata"].as_object().erase("resourceVersion");
    EXPECT_TRUE(store.update(maps, "default", "a", old))
        << "unconditional without a resource version";
}

TEST_F(ObjectStoreTest, RejectsAnUpdateWithTheUidOfADeletedObject) {
    json::object first = *make("a");
    ASSERT_TRUE(store.remove(maps, "default", "a"));
    make("a");
    first["metadata"].as_object().erase("resourceVersion");
    EXPECT_EQ(store.update(maps, "default", "a", first).error().code, 409);
}

TEST_F(ObjectStoreTest, KeepsTheRevisionIfNothingChanges) {
    const ApiObject made = make("a");
    const auto kept = store.update(maps, "default", "a", *made);
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, made);
    EXPECT_EQ(std::to_string(store.revision()), text_at(*made, "metadata.resourceVersion"));
}

TEST_F(ObjectStoreTest, IncrementsTheGenerationOnlyForTheSpec) {
    const ResourceKind& deployments = store.kind("deployments.apps");
    ASSERT_TRUE(store.create(deployments, "default", parsed(R"({"metadata":{"name":"d"}})")));
    const auto generation = [&] {
        return integer_at(*store.find(deployments, "default", "d"), "metadata.generation");
    };
    EXPECT_EQ(generation(), 1);
    const auto edit = [&](const char* path, ObjectPart part) {
        const auto set = [&](json::object& object) { set_value(object, path, 3); };
        ASSERT_TRUE(store.edit(deployments, "default", "d", set, {.part = part}));
    };
    edit("status.replicas", ObjectPart::status);
    EXPECT_EQ(generation(), 1);
    edit("spec.replicas", ObjectPart::all_but_status);
    EXPECT_EQ(generation(), 2);
    edit("status.replicas", ObjectPart::all_but_status);
    EXPECT_EQ(generation(), 2);
}

TEST_F(ObjectStoreTest, KeepsADeletedPodForItsGracePeriod) {
    run_pod("p");
    const auto removed = store.remove(pods, "default", "p", {.grace_s = 20});
    ASSERT_TRUE(removed);
    EXPECT_FALSE(removed->is_gone);
    const ApiObject waiting = store.find(pods, "default", "p");
    ASSERT_NE(waiting, nullptr);
    EXPECT_EQ(text_at(*waiting, "metadata.deletionTimestamp"), "2026-11-21T10:00:20Z");
    EXPECT_TRUE(store.remove(pods, "default", "p", {.grace_s = 0})->is_gone);
    EXPECT_EQ(store.find(pods, "default", "p"), nullptr);
}

TEST_F(ObjectStoreTest, DeletesAnUnboundPodAtOnce) {
    ASSERT_TRUE(store.create(pods, "default", parsed(R"({"metadata":{"name":"p"}})")));
    EXPECT_TRUE(store.remove(pods, "default", "p")->is_gone);
}

TEST_F(ObjectStoreTest, DeletesAnObjectAfterItsLastFinalizer) {
    ASSERT_TRUE(store.create(
        maps, "default", parsed(R"({"metadata":{"name":"a","finalizers":["x/one","x/two"]}})")));
    EXPECT_FALSE(store.remove(maps, "default", "a")->is_gone);
    const auto leave = [](const char* left) {
        return [left](json::object& object) {
            set_value(object, "metadata.finalizers", json::parse(left));
        };
    };
    ASSERT_TRUE(store.edit(maps, "default", "a", leave(R"(["x/two"])")));
    EXPECT_NE(store.find(maps, "default", "a"), nullptr);
    ASSERT_TRUE(store.edit(maps, "default", "a", leave("[]")));
    EXPECT_EQ(store.find(maps, "default", "a"), nullptr);
}

TEST_F(ObjectStoreTest, DeletesANamespaceWithItsObjects) {
    ASSERT_TRUE(store.create(store.kind("namespaces"), "", parsed(R"({"metadata":{"name":"s"}})")));
    ASSERT_TRUE(store.create(maps, "s", parsed(R"({"metadata":{"name":"a"}})")));
    ASSERT_TRUE(store.remove(store.kind("namespaces"), "", "s"));
    EXPECT_TRUE(store.list(maps, "s").items.empty());
}

TEST_F(ObjectStoreTest, RefusesToDeleteSystemNamespaces) {
    for (const char* name : {"default", "kube-system", "kube-public"}) {
        const auto refused = store.remove(store.kind("namespaces"), "", name);
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, 403);
    }
}

TEST_F(ObjectStoreTest, LimitsTheGracePeriod) {
    ASSERT_TRUE(
        store.create(pods, "default", parsed(R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",
                             "terminationGracePeriodSeconds":9000000000000000000}})")));
    ASSERT_TRUE(store.remove(pods, "default", "p"));
    EXPECT_EQ(text_at(*store.find(pods, "default", "p"), "metadata.deletionTimestamp"),
              "2036-11-18T10:00:00Z")
        << "ten years";
    ASSERT_TRUE(store.remove(pods, "default", "p", {.grace_s = -5}));
}

TEST_F(ObjectStoreTest, ChangesNothingInADryRun) {
    ASSERT_TRUE(store.create(maps, "default", parsed(R"({"metadata":{"name":"a"}})"),
                             {.is_dry_run = true}));
    EXPECT_EQ(store.find(maps, "default", "a"), nullptr);
    make("a");
    const std::uint64_t before = store.revision();
    ASSERT_TRUE(store.remove(maps, "default", "a", {.is_dry_run = true}));
    EXPECT_EQ(store.revision(), before);
}

TEST_F(ObjectStoreTest, NotifiesSubscribersInOrderAfterTheWrite) {
    auto subscription = store.subscribe(maps, store.revision(), listener()).value();
    make("a");
    EXPECT_THAT(received, ElementsAre());
    ASSERT_TRUE(store.remove(maps, "default", "a"));
    loop.settle();
    EXPECT_THAT(received, ElementsAre("added a", "deleted a"));
    subscription.reset();
    make("b");
    loop.settle();
    EXPECT_EQ(received.size(), 2u);
}

TEST_F(ObjectStoreTest, ReplaysChangesSinceAnOldRevision) {
    make("a");
    const std::uint64_t then = store.revision();
    make("b");
    const auto subscription = store.subscribe(maps, then, listener()).value();
    loop.settle();
    EXPECT_THAT(received, ElementsAre("added b"));
}

TEST_F(ObjectStoreTest, RejectsRevisionsBeforeTheCompaction) {
    make("a");
    const std::uint64_t then = store.revision();
    make("b");
    store.compact(store.revision());
    EXPECT_EQ(store.subscribe(maps, then, listener()).error().code, 410);
    EXPECT_EQ(store.list_at(maps, "default", then).error().code, 410);
    EXPECT_TRUE(store.subscribe(maps, store.revision(), listener()));
    EXPECT_EQ(store.subscribe(maps, store.revision() + 1, listener()).error().code, 504);
}

TEST_F(ObjectStoreTest, ExpiresSlowSubscribers) {
    const auto subscription = store.subscribe(maps, store.revision(), listener()).value();
    make("a");
    store.compact(store.revision());
    loop.settle();
    EXPECT_THAT(received, ElementsAre("expired"));
}

TEST_F(ObjectStoreTest, KeepsSubscribersThatReceivedAllChanges) {
    const auto subscription = store.subscribe(maps, store.revision(), listener()).value();
    make("a");
    loop.settle();
    ASSERT_TRUE(store.create(store.kind("nodes"), "", parsed(R"({"metadata":{"name":"n"}})")));
    store.compact(store.revision());
    make("b");
    loop.settle();
    EXPECT_THAT(received, ElementsAre("added a", "added b"));
}

TEST_F(ObjectStoreTest, DropsOldHistoryOnceItIsDelivered) {
    ObjectStore small(loop, {.history = 2});
    const std::uint64_t start = small.revision();
    auto subscription = small.subscribe(maps, start, listener()).value();
    const auto add = [&](const std::string& name) {
        ASSERT_TRUE(
            small.create(maps, "default", parsed(R"({"metadata":{"name":")" + name + "\"}}")));
    };
    for (const char* name : {"a", "b", "c", "d"}) add(name);
    loop.settle();
    EXPECT_THAT(received, ElementsAre("added a", "added b", "added c", "added d"));
    add("e");
    EXPECT_EQ(small.subscribe(maps, start, listener()).error().code, 410);
    EXPECT_TRUE(small.subscribe(maps, small.revision() - 2, listener()));
    subscription.reset();
}

TEST_F(ObjectStoreTest, ListsObjectsAtAnOldRevision) {
    make("a");
    make("b");
    const std::uint64_t then = store.revision();
    ASSERT_TRUE(store.remove(maps, "default", "a"));
    make("c");
    std::vector<std::string> names;
    const auto listing = store.list_at(maps, "default", then);
    ASSERT_TRUE(listing) << listing.error();
    for (const ApiObject& object : listing->items)
        names.emplace_back(text_at(*object, "metadata.name"));
    EXPECT_THAT(names, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace capstan::simulator::api_server
