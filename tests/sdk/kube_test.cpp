#include <capstan/kube.hpp>

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/json.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace capstan;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const KubeResource pods("", "v1", "pods", "Pod");
const KubeResource deployments("apps", "v1", "deployments", "Deployment");

Task<KubeReply> ask_kube(Host host, KubeRequest request) {
    co_return co_await send(host, std::move(request));
}

Task<KubeResource> look(Host host, std::string api_version, std::string kind) {
    co_return co_await resolve(host, std::move(api_version), std::move(kind));
}

std::string pod(const std::string& name, const std::string& more = {}) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop")" + more + "}}";
}

struct Kube : ::testing::Test {
    FakeHost host;
    std::vector<std::string> received;

    Result<KubeReply> ask(KubeRequest request) {
        return run(host, ask_kube(host.host(), std::move(request)));
    }
    KubeWatch watch(std::string labels = {}) {
        return KubeWatch(host.host(), KubeSelection(pods, "shop", std::move(labels)),
                         [this](const KubeEvent& event) { handle_event(event); });
    }
    void handle_event(const KubeEvent& event) {
        static constexpr const char* names[] = {"?",       "added",  "modified",
                                                "deleted", "synced", "trouble"};
        std::string line = names[static_cast<int>(event.type)];
        if (!event.object.empty())
            line += " " + parse_json(event.object)->text_at({"metadata", "name"});
        if (event.error != nullptr) line += " " + std::string(text(event.error->message));
        received.push_back(line);
    }
    std::vector<std::string> news() {
        host.run();
        return std::exchange(received, {});
    }
};

TEST_F(Kube, CreatesReadsUpdatesAndDeletesObjects) {
    ASSERT_TRUE(ask(KubeRequest::create(pods, "shop", pod("a"))));
    const Result<KubeReply> read = ask(KubeRequest::get(pods, "shop", "a"));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(parse_json(read->body)->text_at({"metadata", "uid"}), "uid-1");
    const char* const change = R"({"metadata":{"labels":{"x":"y"}}})";
    ASSERT_TRUE(ask(KubeRequest::patch(pods, "shop", "a", KubePatch::merge, change)));
    EXPECT_EQ(host.kube().find(pods, "shop", "a")->text_at({"metadata", "labels", "x"}), "y");
    ASSERT_TRUE(ask(KubeRequest::remove(pods, "shop", "a").if_uid("uid-1")));
    EXPECT_EQ(ask(KubeRequest::get(pods, "shop", "a")).error().code, ErrorCode::not_found);
}

TEST_F(Kube, ReportsErrorsOfTheApiServer) {
    host.kube().put_text(pods, pod("a"));
    const Error again = ask(KubeRequest::create(pods, "shop", pod("a"))).error();
    EXPECT_EQ(again.code, ErrorCode::conflict);
    EXPECT_EQ(again.provider_code, "AlreadyExists");
    const Error stale =
        ask(KubeRequest::update(pods, "shop", "a", pod("a", R"(,"resourceVersion":"77")"))).error();
    EXPECT_EQ(stale.provider_code, "Conflict");
    EXPECT_EQ(ask(KubeRequest::remove(pods, "shop", "a").if_uid("other")).error().code,
              ErrorCode::conflict);
}

TEST_F(Kube, ListsBySelectorsPageByPage) {
    for (const char* const name : {"a", "b", "c"})
        host.kube().put_text(pods, pod(name, R"(,"labels":{"app":"web"})"));
    host.kube().put_text(pods, pod("d"));
    std::vector<std::string> names;
    std::string next;
    do {
        const Result<KubeReply> page =
            ask(KubeRequest::list(pods, "shop").labelled("app=web").page(2, next));
        ASSERT_TRUE(page) << page.error();
        const Json list = *parse_json(page->body);
        for (const Json& item : list.find("items")->items())
            names.push_back(item.text_at({"metadata", "name"}));
        next = list.text_at({"metadata", "continue"});
    } while (!next.empty());
    EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST_F(Kube, ScalesThroughTheSubresource) {
    host.kube().put_text(deployments, R"({"metadata":{"name":"web","namespace":"shop"},
                                          "spec":{"replicas":2}})");
    const auto read = ask(KubeRequest::get(deployments, "shop", "web").with_subresource("scale"));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(parse_json(read->body)->find({"spec", "replicas"})->integer(), 2);
    ASSERT_TRUE(ask(KubeRequest::update(deployments, "shop", "web", R"({"spec":{"replicas":5}})")
                        .with_subresource("scale")));
    EXPECT_EQ(host.kube().find(deployments, "shop", "web")->find({"spec", "replicas"})->integer(),
              5);
}

TEST_F(Kube, ChangesNothingInADryRun) {
    KubeRequest request = KubeRequest::create(pods, "shop", pod("a"));
    request.dry_run = true;
    EXPECT_TRUE(ask(request));
    EXPECT_THAT(host.kube().objects(pods), IsEmpty());
}

TEST_F(Kube, FindsTheResourceOfAKind) {
    EXPECT_EQ(run(host, look(host.host(), "apps/v1", "Deployment")), deployments);
    EXPECT_EQ(run(host, look(host.host(), "", "Pod")), pods);
    EXPECT_EQ(run(host, look(host.host(), "v1", "Gnome")).error().code, ErrorCode::not_found);
}

TEST_F(Kube, WatchReportsExistingObjectsAndChanges) {
    host.kube().put_text(pods, pod("a"));
    const KubeWatch kept = watch();
    EXPECT_THAT(received, IsEmpty()) << "nothing inside the constructor";
    EXPECT_THAT(news(), ElementsAre("added a", "synced"));
    host.kube().put_text(pods, pod("b"));
    host.kube().put_text(pods, pod("a"));
    host.kube().remove(pods, "shop", "b");
    EXPECT_THAT(news(), ElementsAre("added b", "modified a", "deleted b"));
    host.kube().trouble({ErrorCode::unavailable, "no connection"});
    EXPECT_THAT(news(), ElementsAre("trouble no connection"));
}

TEST_F(Kube, WatchEndsWithItsObject) {
    {
        const KubeWatch kept = watch();
        host.run();
        host.kube().put_text(pods, pod("a"));
    }
    news();
    host.kube().put_text(pods, pod("b"));
    EXPECT_THAT(news(), IsEmpty());
    EXPECT_EQ(host.kube().open_watches(), 0u);
}

TEST_F(Kube, WatchEndsWithTheInstance) {
    const KubeWatch kept = watch();
    host.run();
    EXPECT_FALSE(kept.has_ended());
    ASSERT_TRUE(host.stop());
    EXPECT_TRUE(kept.has_ended());
}

TEST_F(Kube, WatchEndsIfItsFunctionThrows) {
    const KubeWatch kept(host.host(), KubeSelection(pods), [](const KubeEvent&) {
        throw Failure(ErrorCode::internal, "cannot bear it");
    });
    host.run();
    EXPECT_TRUE(kept.has_ended());
    ASSERT_EQ(host.log_lines().size(), 1u);
    EXPECT_THAT(host.log_lines()[0].message, HasSubstr("its callback failed"));
}

TEST_F(Kube, RejectsWhatIsNotGranted) {
    host.kube().grant("pods:get,list");
    EXPECT_EQ(ask(KubeRequest::create(pods, "shop", pod("a"))).error().code, ErrorCode::permission);
    EXPECT_TRUE(ask(KubeRequest::list(pods, "shop")));
    const KubeWatch kept = watch();
    EXPECT_THAT(news(), ElementsAre("trouble list and watch pods: is not granted"));
    EXPECT_TRUE(kept.has_ended());
}

TEST_F(Kube, GrantsNothingWithoutTheService) {
    host.withhold(CAPSTAN_SERVICE_KUBE);
    EXPECT_EQ(ask(KubeRequest::list(pods)).error().code, ErrorCode::permission);
    EXPECT_THROW(watch(), Failure);
    EXPECT_EQ(record(host.host(), {"v1", "Pod", "shop", "a", "u"}, false, "R", "m").error().code,
              ErrorCode::permission);
}

TEST_F(Kube, RecordsEvents) {
    EXPECT_TRUE(record(host.host(), {"v1", "Pod", "shop", "a", "u"}, true, "Late", "took long"));
    ASSERT_EQ(host.kube().notes().size(), 1u);
    EXPECT_EQ(host.kube().notes()[0].about.name, "a");
    EXPECT_TRUE(host.kube().notes()[0].is_warning);
    EXPECT_EQ(host.kube().notes()[0].message, "took long");
}

TEST_F(Kube, CanDelayResponsesInTests) {
    host.kube().put_text(pods, pod("a"));
    host.kube().slow("pods", "a", std::chrono::seconds(3));
    const Duration began = host.monotonic();
    EXPECT_TRUE(ask(KubeRequest::get(pods, "shop", "a")));
    EXPECT_EQ(host.monotonic() - began, std::chrono::seconds(3));
    const auto none = ask(KubeRequest::get(pods, "shop", "a").within(std::chrono::seconds(2)));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::deadline);
    EXPECT_EQ(host.monotonic() - began, std::chrono::seconds(5));
    host.kube().slow("pods", "a", Duration::zero());
    EXPECT_TRUE(ask(KubeRequest::get(pods, "shop", "a")));
    EXPECT_EQ(host.monotonic() - began, std::chrono::seconds(5));
}

}  // namespace
