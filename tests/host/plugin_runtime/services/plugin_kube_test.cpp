#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../kubernetes/client/scripted_api.hpp"
#include "../test_host.hpp"
#include "plugin_runtime/services/host_context.hpp"

namespace capstan::plugin_runtime::services {
namespace {

using namespace std::chrono_literals;
using kubernetes::client::refusal;
using kubernetes::client::ScriptedApi;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

capstan_kube_resource resource(const char* group, const char* plural, const char* kind,
                               bool has_namespace) {
    return {sizeof(capstan_kube_resource),
            has_namespace ? 1 : 0,
            str(group),
            str("v1"),
            str(plural),
            str(kind)};
}
const capstan_kube_resource nodes = resource("", "nodes", "Node", false);
const capstan_kube_resource pods = resource("", "pods", "Pod", true);
const capstan_kube_resource deployments = resource("apps", "deployments", "Deployment", true);

capstan_kube_request request(std::int32_t verb, const capstan_kube_resource& resource,
                             const char* ns, const char* name, const char* body = "") {
    capstan_kube_request out{};
    out.struct_size = sizeof out;
    out.verb = verb;
    out.resource = &resource;
    out.ns = str(ns);
    out.name = str(name);
    out.body = str(body);
    return out;
}

/// The result of one request.
struct KubeResult {
    int times = 0;
    capstan_status status = CAPSTAN_OK;
    std::string body{};
    std::optional<Error> error{};
    bool was_on_strand = false;
    HostContext* context = nullptr;

    static void done(void* user, capstan_status status, const capstan_kube_reply* reply,
                     const capstan_error* error) noexcept {
        auto& self = *static_cast<KubeResult*>(user);
        ++self.times;
        self.status = status;
        if (reply != nullptr) self.body = text(reply->body);
        if (error != nullptr) self.error = from_abi(*error);
        self.was_on_strand = self.context != nullptr && self.context->strand().is_here();
    }
};

/// A context without a plugin, with a scripted API server.
struct PluginKubeTest : testing::Test {
    TestHost host;
    ScriptedApi api{host.loop};
    std::shared_ptr<KubeGateway> gateway = std::make_shared<KubeGateway>(host.loop);
    std::shared_ptr<HostContext> context =
        make({"nodes:get,list,create,delete,patch", "pods:list,watch@shop", "events:create",
              "deployments.apps/scale:get,update"});
    std::vector<std::string> events;

    PluginKubeTest() { gateway->connect(api); }
    ~PluginKubeTest() override {
        context->close();
        context->cancel_open(0);
        host.loop.settle();
    }
    std::shared_ptr<HostContext> make(std::vector<std::string> grants) {
        InstanceIdentity instance = identity("probe");
        instance.grants.kube = std::move(grants);
        HostEnvironment environment = host.environment();
        environment.kube = gateway;
        return HostContext::make(environment, instance);
    }
    const capstan_host* raw() const { return context->host(); }
    const capstan_kube& kube() const {
        return *static_cast<const capstan_kube*>(raw()->service(raw(), CAPSTAN_SERVICE_KUBE));
    }
    KubeResult send(const capstan_kube_request& what) {
        KubeResult result;
        send(what, result);
        return result;
    }
    void send(const capstan_kube_request& what, KubeResult& result) {
        result.context = context.get();
        EXPECT_EQ(kube().send(raw(), &what, &KubeResult::done, &result), CAPSTAN_OK);
        host.loop.settle();
    }
    static void on_event(void* user, const capstan_kube_event* event) noexcept {
        static constexpr const char* names[] = {"?",      "added",   "modified", "deleted",
                                                "synced", "trouble", "ended"};
        std::string line = names[event->type];
        if (event->object.len > 0) {
            const auto object = boost::json::parse(text(event->object));
            line += " " + std::string(object.at("metadata").at("name").as_string());
        }
        if (event->error != nullptr) line += " " + std::string(text(event->error->message));
        static_cast<PluginKubeTest*>(user)->events.push_back(line);
    }
    std::uint64_t watch(std::uint32_t queue_limit = 0, const char* ns = "shop") {
        const capstan_kube_watch what{sizeof what, queue_limit, &pods, str(ns), {}, {}};
        std::uint64_t id = 0;
        EXPECT_EQ(kube().watch(raw(), &what, &on_event, this, &id), CAPSTAN_OK);
        host.loop.settle();
        return id;
    }
    std::vector<std::string> take_events() { return std::exchange(events, {}); }
};

std::string page_of(std::initializer_list<const char*> names) {
    std::string items;
    for (const char* const name : names) {
        items += (items.empty() ? "" : ",") +
                 (R"({"metadata":{"name":")" + std::string(name) +
                  R"(","namespace":"shop","uid":"u","resourceVersion":"1"}})");
    }
    return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

std::string event(const char* name, const char* version) {
    return R"({"type":"ADDED","object":{"metadata":{"name":")" + std::string(name) +
           R"(","namespace":"shop","uid":"u","resourceVersion":")" + version + "\"}}}\n";
}

TEST_F(PluginKubeTest, IsNotOfferedWithoutAGrant) {
    const auto without_grants = make({});
    EXPECT_EQ(without_grants->host()->service(without_grants->host(), CAPSTAN_SERVICE_KUBE),
              nullptr);
}

TEST_F(PluginKubeTest, DeliversTheReplyOnTheStrand) {
    KubeResult result;
    send(request(CAPSTAN_KUBE_GET, nodes, "", "n1"), result);
    EXPECT_EQ(result.times, 0);
    EXPECT_EQ(api.first().line(), "GET /api/v1/nodes/n1");
    api.answer({.body = R"({"kind":"Node"})"});
    EXPECT_EQ(result.times, 1);
    EXPECT_EQ(result.body, R"({"kind":"Node"})");
    EXPECT_TRUE(result.was_on_strand);
}

TEST_F(PluginKubeTest, TranslatesVerbsToHttp) {
    const auto line_of = [&](const capstan_kube_request& what) {
        KubeResult result;
        send(what, result);
        const std::string line = api.first().line();
        api.answer({.body = "{}"});
        EXPECT_EQ(result.status, CAPSTAN_OK);
        return line;
    };
    capstan_kube_request list = request(CAPSTAN_KUBE_LIST, nodes, "", "");
    list.label_selector = str("a=b");
    list.limit = 10;
    EXPECT_EQ(line_of(list), "GET /api/v1/nodes?labelSelector=a=b&limit=10");
    EXPECT_EQ(line_of(request(CAPSTAN_KUBE_CREATE, nodes, "", "", "{}")),
              "POST /api/v1/nodes?fieldManager=capstan-probe");
    capstan_kube_request patch = request(CAPSTAN_KUBE_PATCH, nodes, "", "n1", "{}");
    patch.patch_type = CAPSTAN_KUBE_PATCH_MERGE;
    patch.dry_run = 1;
    EXPECT_EQ(line_of(patch), "PATCH /api/v1/nodes/n1?fieldManager=capstan-probe&dryRun=All");
    EXPECT_EQ(api.last().request.content_type, "application/merge-patch+json");
    capstan_kube_request scale = request(CAPSTAN_KUBE_UPDATE, deployments, "shop", "web", "{}");
    scale.subresource = str("scale");
    scale.field_manager = str("me");
    EXPECT_EQ(line_of(scale),
              "PUT /apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=me");
}

TEST_F(PluginKubeTest, DeletesWithPreconditions) {
    KubeResult result;
    capstan_kube_request what = request(CAPSTAN_KUBE_DELETE, nodes, "", "n1");
    what.uid = str("u1");
    what.present = CAPSTAN_KUBE_HAS_GRACE;
    what.propagation = CAPSTAN_KUBE_PROPAGATION_FOREGROUND;
    send(what, result);
    EXPECT_EQ(api.first().line(), "DELETE /api/v1/nodes/n1");
    EXPECT_EQ(api.first().request.body,
              R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u1"},)"
              R"("gracePeriodSeconds":0,"propagationPolicy":"Foreground"})");
    result = {};
    send(request(CAPSTAN_KUBE_DELETE, nodes, "", "n2"), result);
    EXPECT_EQ(api.last().request.body, R"({"apiVersion":"v1","kind":"DeleteOptions"})")
        << "unset, not zero";
    what = request(CAPSTAN_KUBE_DELETE, nodes, "", "n3");
    what.dry_run = 1;
    send(what, result);
    EXPECT_THAT(api.last().request.body, HasSubstr(R"("dryRun":["All"])"));
    for (int i = 0; i < 3; ++i) api.answer({});
}

TEST_F(PluginKubeTest, WritesNothingWithoutLeadershipButReads) {
    Result<void> may = capstan::fail(ErrorCode::cancelled, "not the leader");
    gateway->connect(api, [&] { return may; });
    capstan_kube_request patch = request(CAPSTAN_KUBE_PATCH, nodes, "", "n1", "{}");
    patch.patch_type = CAPSTAN_KUBE_PATCH_MERGE;
    for (const auto& what : {request(CAPSTAN_KUBE_CREATE, nodes, "", "", "{}"), patch,
                             request(CAPSTAN_KUBE_DELETE, nodes, "", "n1")}) {
        const KubeResult result = send(what);
        EXPECT_EQ(result.status, CAPSTAN_E_CANCELLED);
        ASSERT_TRUE(result.error);
        EXPECT_THAT(result.error->message, HasSubstr(": not sent: not the leader"));
    }
    EXPECT_THAT(api.asked(), IsEmpty());
    KubeResult read;
    send(request(CAPSTAN_KUBE_GET, nodes, "", "n1"), read);
    api.answer({.body = "{}"});
    EXPECT_EQ(read.status, CAPSTAN_OK);
    may = {};
    KubeResult written;
    send(request(CAPSTAN_KUBE_DELETE, nodes, "", "n1"), written);
    EXPECT_EQ(api.first().line(), "DELETE /api/v1/nodes/n1");
    api.answer({.body = "{}"});
    EXPECT_EQ(written.status, CAPSTAN_OK);
}

TEST_F(PluginKubeTest, ChecksLeadershipAgainWhenAWriteIsSent) {
    Result<void> may{};
    gateway->connect(api, [&] { return may; });
    KubeResult result;
    send(request(CAPSTAN_KUBE_DELETE, nodes, "", "n1"), result);
    const auto& may_send = api.first().request.may_send;
    EXPECT_TRUE(may_send());
    may = capstan::fail(ErrorCode::cancelled, "not the leader");
    EXPECT_FALSE(may_send());
    api.answer({});
    KubeResult read;
    send(request(CAPSTAN_KUBE_GET, nodes, "", "n1"), read);
    api.answer({});
}

TEST_F(PluginKubeTest, WritesNothingForAnOperationOfAnEarlierTerm) {
    gateway->set_term(1);
    Operation operation;
    operation.what = "increase";
    operation.deadline = host.loop.monotonic() + 1min;
    operation.done = [](const auto&) {};
    const auto op = context->operations().open(operation);
    ASSERT_TRUE(op) << op.error();
    capstan_kube_request what = request(CAPSTAN_KUBE_DELETE, nodes, "", "n1");
    what.parent = *op;
    gateway->set_term(0);
    gateway->set_term(2);
    const KubeResult late = send(what);
    EXPECT_EQ(late.status, CAPSTAN_E_CANCELLED);
    ASSERT_TRUE(late.error);
    EXPECT_THAT(late.error->message, HasSubstr("the leadership term in which it began has ended"));
    EXPECT_THAT(api.asked(), IsEmpty());
    what.parent = 0;
    KubeResult own;
    send(what, own);
    EXPECT_EQ(api.open_count(), 1u) << "requests of this term are sent";
    gateway->set_term(3);
    EXPECT_FALSE(api.first().request.may_send()) << "but not in the next term";
    api.answer({});
    capstan_kube_request question = request(CAPSTAN_KUBE_GET, nodes, "", "n1");
    question.parent = *op;
    KubeResult read;
    send(question, read);
    EXPECT_FALSE(api.first().request.may_send) << "reads are always allowed";
    api.answer({.body = "{}"});
}

TEST_F(PluginKubeTest, NamesTheMissingGrant) {
    const std::pair<capstan_kube_request, const char*> cases[] = {
        {request(CAPSTAN_KUBE_UPDATE, nodes, "", "n1", "{}"), "nodes:update"},
        {request(CAPSTAN_KUBE_LIST, pods, "bank", ""), "pods:list@bank"},
        {request(CAPSTAN_KUBE_LIST, pods, "", ""), "pods:list"},
        {request(CAPSTAN_KUBE_GET, deployments, "shop", "web"), "deployments.apps:get@shop"}};
    for (const auto& [what, grant] : cases) {
        const KubeResult result = send(what);
        EXPECT_EQ(result.status, CAPSTAN_E_PERMISSION);
        EXPECT_EQ(result.error->message,
                  "not granted: add \"" + std::string(grant) + "\" to plugin.probe.grants.kube");
    }
    EXPECT_THAT(api.asked(), IsEmpty());
}

TEST_F(PluginKubeTest, RefusesInvalidRequests) {
    capstan_kube_resource dots = nodes;
    dots.plural = str("..");
    capstan_kube_resource group = nodes;
    group.group = str("a..b");
    capstan_kube_request patch = request(CAPSTAN_KUBE_PATCH, nodes, "", "n1", "{}");
    patch.patch_type = 77;
    const std::pair<capstan_kube_request, const char*> cases[] = {
        {request(77, nodes, "", "n1"), "unknown verb 77"},
        {request(CAPSTAN_KUBE_GET, nodes, "", ""), "missing or invalid name"},
        {request(CAPSTAN_KUBE_GET, nodes, "", ".."), "missing or invalid name"},
        {request(CAPSTAN_KUBE_GET, nodes, "", "a/b"), "missing or invalid name"},
        {request(CAPSTAN_KUBE_GET, nodes, "shop", "n1"), "not namespaced"},
        {request(CAPSTAN_KUBE_GET, deployments, "", "web"), "missing namespace"},
        {request(CAPSTAN_KUBE_GET, dots, "", "n1"), "is not a valid resource name"},
        {request(CAPSTAN_KUBE_GET, group, "", "n1"), "\"a..b\" is not a valid API group"},
        {request(CAPSTAN_KUBE_CREATE, nodes, "", "", ""), "missing body"},
        {request(CAPSTAN_KUBE_CREATE, nodes, "", "n1", "{}"), "belongs in the object"},
        {patch, "unknown patch type 77"}};
    for (const auto& [what, message] : cases) {
        const KubeResult result = send(what);
        EXPECT_EQ(result.status, CAPSTAN_E_INVALID_ARGUMENT) << message;
        ASSERT_TRUE(result.error) << message;
        EXPECT_THAT(result.error->message, HasSubstr(message));
    }
    EXPECT_THAT(api.asked(), IsEmpty());
    EXPECT_EQ(kube().send(raw(), nullptr, &KubeResult::done, nullptr), CAPSTAN_E_INVALID_ARGUMENT);
}

TEST_F(PluginKubeTest, ReturnsErrorsOfTheServer) {
    KubeResult result;
    send(request(CAPSTAN_KUBE_CREATE, nodes, "", "", "{}"), result);
    api.answer(refusal(409, "AlreadyExists"));
    EXPECT_EQ(result.status, CAPSTAN_E_CONFLICT);
    EXPECT_EQ(result.error->provider_code, "AlreadyExists");
}

TEST_F(PluginKubeTest, ReadsNoLongerReplyThanRequested) {
    for (const auto& [asked, limit] : std::map<std::uint64_t, std::uint64_t>{
             {0, 16u << 20}, {3, 3}, {std::uint64_t{1} << 40, 256u << 20}}) {
        KubeResult result;
        capstan_kube_request what = request(CAPSTAN_KUBE_LIST, nodes, "", "");
        what.max_reply_bytes = asked;
        send(what, result);
        EXPECT_EQ(kubernetes::client::max_reply_bytes_of(api.first().request), limit);
        api.fail({ErrorCode::quota, "the response has more bytes"});
        EXPECT_EQ(result.status, CAPSTAN_E_QUOTA);
    }
}

TEST_F(PluginKubeTest, EndsRequestsWithTheirOperation) {
    Operation operation;
    operation.what = "refresh";
    operation.deadline = host.loop.monotonic() + 2s;
    operation.done = [](const auto&) {};
    const auto op = context->operations().open(operation);
    ASSERT_TRUE(op) << op.error();
    capstan_kube_request what = request(CAPSTAN_KUBE_GET, nodes, "", "n1");
    what.parent = *op;
    KubeResult result;
    send(what, result);
    EXPECT_EQ(api.first().request.timeout, 2s) << "at most the remaining time";
    host.loop.advance(3s);
    EXPECT_EQ(result.times, 1);
    EXPECT_EQ(result.status, CAPSTAN_E_CANCELLED);
    EXPECT_TRUE(api.last().is_cancelled);
}

TEST_F(PluginKubeTest, EndsEverythingWhenTheInstanceStops) {
    KubeResult result;
    send(request(CAPSTAN_KUBE_GET, nodes, "", "n1"), result);
    watch();
    context->close();
    context->cancel_open(0);
    host.loop.settle();
    EXPECT_EQ(result.status, CAPSTAN_E_CANCELLED);
    EXPECT_THAT(take_events(), ElementsAre("ended"));
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_EQ(context->tasks().open_count(), 0u);
    const capstan_kube_request late = request(CAPSTAN_KUBE_GET, nodes, "", "n1");
    EXPECT_EQ(kube().send(raw(), &late, &KubeResult::done, &result), CAPSTAN_E_CANCELLED);
}

TEST_F(PluginKubeTest, LimitsRequestsAndWatches) {
    std::vector<KubeResult> result(65);
    const capstan_kube_request what = request(CAPSTAN_KUBE_GET, nodes, "", "n1");
    for (int i = 0; i < 64; ++i)
        ASSERT_EQ(kube().send(raw(), &what, &KubeResult::done, &result[i]), CAPSTAN_OK);
    EXPECT_EQ(kube().send(raw(), &what, &KubeResult::done, &result[64]), CAPSTAN_E_BUSY);
    for (int i = 0; i < 16; ++i) watch();
    const capstan_kube_watch more{sizeof more, 0, &pods, str("shop"), {}, {}};
    std::uint64_t id = 0;
    EXPECT_EQ(kube().watch(raw(), &more, &on_event, this, &id), CAPSTAN_E_BUSY);
    context->cancel_open(0);
    host.loop.settle();
    EXPECT_EQ(result[64].times, 0);
}

TEST_F(PluginKubeTest, WatchesUntilUnwatch) {
    const std::uint64_t id = watch();
    EXPECT_NE(id, 0u);
    api.answer({.body = page_of({"a", "b"})});
    EXPECT_THAT(take_events(), ElementsAre("added a", "added b", "synced"));
    api.push(api.last().id, event("c", "6"));
    EXPECT_THAT(take_events(), ElementsAre("added c"));
    EXPECT_EQ(kube().unwatch(raw(), id), CAPSTAN_OK);
    EXPECT_EQ(kube().unwatch(raw(), id), CAPSTAN_E_NOT_FOUND);
    host.loop.settle();
    EXPECT_THAT(take_events(), ElementsAre("ended"));
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(PluginKubeTest, ReportsAndEndsAWatchWithoutGrant) {
    watch(0, "bank");
    EXPECT_THAT(take_events(), ElementsAre("trouble not granted: add \"pods:list@bank\" to "
                                           "plugin.probe.grants.kube",
                                           "ended"));
    EXPECT_THAT(api.asked(), IsEmpty());
}

TEST_F(PluginKubeTest, StopsReadingWhileTheQueueIsFull) {
    watch(2);
    api.answer({.body = page_of({})});
    ASSERT_THAT(take_events(), ElementsAre("synced"));
    // The strand delivers nothing until the loop settles.
    const auto id = api.last().id;
    api.last().on_part(event("a", "6") + event("b", "7") + event("c", "8"));
    EXPECT_THAT(take_events(), IsEmpty());
    host.loop.settle();
    EXPECT_THAT(take_events(), ElementsAre("added a", "added b", "added c"));
    EXPECT_GT(api.last().id, id) << "the watch continues";
    EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=8"));
}

TEST_F(PluginKubeTest, ResolvesAKind) {
    struct Found {
        std::string plural;
        capstan_status status = -1;
    } found;
    const auto keep = [](void* user, capstan_status status, const capstan_kube_resource* r,
                         const capstan_error*) noexcept {
        auto& self = *static_cast<Found*>(user);
        self.status = status;
        if (r != nullptr) self.plural = text(r->plural);
    };
    EXPECT_EQ(kube().resolve(raw(), str("v1"), str("Node"), 0, keep, &found), CAPSTAN_OK);
    host.loop.settle();
    api.answer({.body = R"({"kind":"APIVersions","versions":["v1"]})"});
    api.answer({.body = R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
        {"name":"nodes","kind":"Node","namespaced":false,"verbs":["get"]}]})"});
    EXPECT_EQ(found.status, CAPSTAN_OK);
    EXPECT_EQ(found.plural, "nodes");
    EXPECT_EQ(kube().resolve(raw(), str("v1"), str("Gnome"), 0, keep, &found), CAPSTAN_OK);
    host.loop.settle();
    EXPECT_EQ(found.status, CAPSTAN_E_NOT_FOUND);
}

TEST_F(PluginKubeTest, RecordsEvents) {
    capstan_kube_note note{};
    note.struct_size = sizeof note;
    note.api_version = str("v1");
    note.kind = str("Node");
    note.name = str("n1");
    note.reason = str("Joined");
    note.message = str("a machine joined");
    EXPECT_EQ(kube().record(raw(), &note), CAPSTAN_OK);
    host.loop.settle();
    EXPECT_THAT(api.first().line(), HasSubstr("POST /api/v1/namespaces/default/events"));
    note.reason = {};
    EXPECT_EQ(kube().record(raw(), &note), CAPSTAN_E_INVALID_ARGUMENT);
    context = make({"nodes:get"});
    note.reason = str("Joined");
    EXPECT_EQ(kube().record(raw(), &note), CAPSTAN_E_PERMISSION);
}

TEST_F(PluginKubeTest, IsUnsupportedWithoutACluster) {
    gateway = nullptr;
    context = make({"nodes:get"});
    const KubeResult result = send(request(CAPSTAN_KUBE_GET, nodes, "", "n1"));
    EXPECT_EQ(result.status, CAPSTAN_E_UNSUPPORTED);
}

TEST_F(PluginKubeTest, StartsWatchesWhenTheHostConnects) {
    gateway->disconnect();
    EXPECT_EQ(send(request(CAPSTAN_KUBE_GET, nodes, "", "n1")).status, CAPSTAN_E_UNAVAILABLE);
    watch();
    EXPECT_THAT(take_events(), ElementsAre(HasSubstr("trouble")));
    gateway->connect(api);
    host.loop.settle();
    api.answer({.body = page_of({"a"})});
    EXPECT_THAT(take_events(), ElementsAre("added a", "synced"));
}

TEST_F(PluginKubeTest, EndsRequestsWhenTheHostDisconnects) {
    KubeResult result;
    send(request(CAPSTAN_KUBE_GET, nodes, "", "n1"), result);
    gateway->disconnect();
    host.loop.settle();
    EXPECT_EQ(result.status, CAPSTAN_E_CANCELLED);
    EXPECT_EQ(api.open_count(), 0u);
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
