#include "autoscaler/policies/expander_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#include "../../plugin_runtime/test_host.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"

namespace capstan::autoscaler::policies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

/// The service of the expander; tests set its response.
struct Service {
    KeptOptions kept{};
    Duration after{};
    std::optional<Error> error{};
    std::vector<AsyncExpanderRequest> requests{};
} service;

/// An expander that calls the service.
class TestServiceExpander {
public:
    TestServiceExpander(Host host, const Settings&) : host_(host) {}
    Task<KeptOptions> filter(AsyncExpanderRequest request) {
        service.requests.push_back(std::move(request));
        co_await sleep_for(host_, service.after);
        if (service.error) throw Failure(*service.error);
        co_return service.kept;
    }

private:
    Host host_;
};

engine::ScaleUpQuestion options_of(const std::vector<const char*>& groups) {
    engine::ScaleUpQuestion question;
    for (const char* const group : groups)
        question.options.push_back({.group = {.id = NodeGroupId(group)}, .nodes = 2});
    question.pods.push_back({.example = "web-0"});
    question.cluster_nodes = 5;
    return question;
}

struct ExpanderAnswersTest : testing::Test {
    plugin_runtime::TestHost host;
    plugin_runtime::Running<TestServiceExpander> instance{host};
    std::shared_ptr<ExpanderAnswers> answers;

    ExpanderAnswersTest() { service = {}; }

    ExpanderAnswers::Ask by_loop() {
        return [this](const std::shared_ptr<plugin_runtime::instances::ExpanderClient>& expander,
                      plugin_runtime::instances::ExpanderClient::Question question) {
            std::optional<Result<KeptOptions>> out;
            expander->filter(std::move(question),
                             [&](Result<KeptOptions> result) { out = std::move(result); });
            host.loop.settle();
            while (!out) host.loop.advance(100ms);
            return std::move(out).value();
        };
    }
    void begin_pass(std::vector<ExpanderAnswer> known = {}) {
        answers = std::make_shared<ExpanderAnswers>(std::move(known), by_loop());
    }
    Result<engine::FilterResult> filter(const std::vector<std::uint32_t>& among,
                                        std::uint64_t seed = 9) {
        if (!answers) begin_pass();
        const std::function<Result<engine::FilterResult>(plugin_runtime::instances::PassWatch&)>
            pass =
                [shared = instance.shared(), kept = answers, among, seed](
                    plugin_runtime::instances::PassWatch& watch) -> Result<engine::FilterResult> {
            CAPSTAN_TRY(const auto expander, make_expander(shared, watch, kept));
            return expander->filter(options_of({"a", "b", "c"}), among, {.seed = seed});
        };
        return plugin_runtime::instances::run_watched(pass).result;
    }
};

std::vector<std::uint32_t> options_in(const engine::FilterResult& result) {
    std::vector<std::uint32_t> out;
    for (const engine::FilterResult::Kept& kept : result.kept) out.push_back(kept.option);
    return out;
}

TEST_F(ExpanderAnswersTest, KeepWhatTheServiceKeeps) {
    service.kept = {.kept = {{1, 0.5}, {0, 0.5}, {1, 0.5}}, .sentences = {"both are cheap\n"}};
    const auto result = filter({1, 2});
    ASSERT_TRUE(result) << result.error();
    EXPECT_THAT(options_in(*result), ElementsAre(1, 2));
    EXPECT_THAT(result->sentences, ElementsAre(HasSubstr("both are cheap")));
    ASSERT_THAT(service.requests, SizeIs(1));
    const AsyncExpanderRequest& request = service.requests.front();
    EXPECT_EQ(request.seed, 9u);
    EXPECT_EQ(request.cluster_nodes, 5u);
    ASSERT_THAT(request.options, SizeIs(2));
    EXPECT_EQ(request.options.front().group.id, NodeGroupId("b"));
    EXPECT_EQ(request.pods.front().example, "web-0");
}

TEST_F(ExpanderAnswersTest, MayKeepNothing) {
    const auto result = filter({0, 1});
    ASSERT_TRUE(result) << result.error();
    EXPECT_THAT(result->kept, IsEmpty());
}

TEST_F(ExpanderAnswersTest, AreReusedWithinAPass) {
    service.kept.kept = {{0, 0}};
    ASSERT_TRUE(filter({0, 1}));
    ASSERT_TRUE(filter({0, 1}));
    EXPECT_THAT(service.requests, SizeIs(1));
    ASSERT_TRUE(filter({0, 1}, 10)) << "the next scale-up";
    EXPECT_THAT(service.requests, SizeIs(2));
    ASSERT_TRUE(filter({0, 1, 2}, 10)) << "other options";
    EXPECT_THAT(service.requests, SizeIs(3));
}

TEST_F(ExpanderAnswersTest, AreReusedInAReplay) {
    service.kept.kept = {{0, 0}};
    const auto decided = filter({1, 2});
    ASSERT_TRUE(decided) << decided.error();
    answers = std::make_shared<ExpanderAnswers>(answers->known());
    service.kept.kept = {};
    const auto again = filter({1, 2});
    ASSERT_TRUE(again) << again.error();
    EXPECT_THAT(options_in(*again), ElementsAre(1));
    EXPECT_THAT(service.requests, SizeIs(1));
    EXPECT_EQ(filter({0, 1}).error().code, ErrorCode::unsupported)
        << "this request was not recorded";
}

TEST_F(ExpanderAnswersTest, DoNotRepeatATimedOutCallInThePass) {
    service.after = 1h;
    const auto late = filter({0, 1});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::deadline);
    EXPECT_THAT(late.error().message, HasSubstr("plugin probe: filter"));
    EXPECT_EQ(filter({0, 1}, 10).error().code, ErrorCode::deadline);
    EXPECT_THAT(service.requests, SizeIs(1));
    service.after = {};
    begin_pass();
    EXPECT_TRUE(filter({0, 1})) << "the next pass calls it";
}

TEST_F(ExpanderAnswersTest, LimitTheTimeOfTheServiceInAPass) {
    service.kept.kept = {{0, 0}};
    service.after = 4s;
    for (const std::uint64_t round : {1u, 2u, 3u}) EXPECT_TRUE(filter({0, 1}, round)) << round;
    const auto late = filter({0, 1}, 4);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::deadline);
    EXPECT_THAT(late.error().message, HasSubstr("its service has taken 12s of this pass"));
    EXPECT_THAT(service.requests, SizeIs(3));
}

TEST_F(ExpanderAnswersTest, DoNotRepeatAThrottledCallInThePass) {
    service.error = Error{ErrorCode::throttled, "slow down"};
    EXPECT_FALSE(filter({0, 1}));
    service.error.reset();
    EXPECT_EQ(filter({0, 1}, 10).error().code, ErrorCode::throttled);
    EXPECT_THAT(service.requests, SizeIs(1));
}

TEST_F(ExpanderAnswersTest, DoNotSpreadAnOutageToOtherInstances) {
    plugin_runtime::Running<TestServiceExpander> other(host, plugin_runtime::identity("other"));
    service.error = Error{ErrorCode::unavailable, "no route to host"};
    EXPECT_FALSE(filter({0, 1}));
    service.error.reset();
    service.kept.kept = {{0, 0}};
    const std::function<Result<engine::FilterResult>(plugin_runtime::instances::PassWatch&)> pass =
        [shared = other.shared(), kept = answers](
            plugin_runtime::instances::PassWatch& watch) -> Result<engine::FilterResult> {
        CAPSTAN_TRY(const auto expander, make_expander(shared, watch, kept));
        return expander->filter(options_of({"a", "b"}), std::vector<std::uint32_t>{0, 1},
                                {.seed = 9});
    };
    const auto result = plugin_runtime::instances::run_watched(pass).result;
    ASSERT_TRUE(result) << result.error();
    EXPECT_THAT(options_in(*result), ElementsAre(0));
    EXPECT_THAT(answers->known(), SizeIs(2));
}

TEST_F(ExpanderAnswersTest, ReplayARecordedError) {
    const Error late{ErrorCode::deadline, "plugin probe: filter: no response within 5s"};
    begin_pass({{.instance = PluginInstanceId("probe"),
                 .seed = 9,
                 .groups = {NodeGroupId("a"), NodeGroupId("b")},
                 .error = late}});
    EXPECT_EQ(filter({0, 1}).error(), late);
    EXPECT_EQ(filter({0, 1}, 10).error(), late) << "a later request of that pass was not sent";
    EXPECT_THAT(service.requests, IsEmpty());
}

TEST_F(ExpanderAnswersTest, SayThatARequestWasNotRecorded) {
    answers = std::make_shared<ExpanderAnswers>();
    EXPECT_EQ(filter({0, 1}).error().message,
              "plugin probe: filter: its service is not called here, and no response is recorded");
}

TEST_F(ExpanderAnswersTest, ReturnAnExceptionAsAnError) {
    int calls = 0;
    answers = std::make_shared<ExpanderAnswers>(
        std::vector<ExpanderAnswer>(), [&](const auto&, const auto&) -> Result<KeptOptions> {
            if (++calls == 1) throw std::runtime_error("no thread");
            return KeptOptions{.kept = {{1, 0}}};
        });
    EXPECT_EQ(filter({0, 1}).error(), (Error{ErrorCode::internal, "no thread"}));
    const auto next = filter({0, 1}, 10);
    ASSERT_TRUE(next) << next.error();
    EXPECT_THAT(options_in(*next), ElementsAre(1));
}

TEST_F(ExpanderAnswersTest, AreNotWantedFromAnInstanceThatHasNotStarted) {
    begin_pass();
    const std::function<Result<engine::FilterResult>(plugin_runtime::instances::PassWatch&)> pass =
        [shared = instance.shared(), kept = answers](
            plugin_runtime::instances::PassWatch& watch) -> Result<engine::FilterResult> {
        CAPSTAN_TRY(const auto expander, make_expander(shared, watch, kept));
        return expander->filter(options_of({"a", "b"}), std::vector<std::uint32_t>{0, 1}, {});
    };
    const auto result =
        plugin_runtime::instances::run_watched(
            pass, {{PluginInstanceId("probe"), plugin_runtime::loop::Hook::start, "not started"}})
            .result;
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(),
              (Error{ErrorCode::unavailable, "plugin probe: not called: not started"}));
    EXPECT_THAT(service.requests, IsEmpty());
    EXPECT_THAT(answers->known(), IsEmpty());
}

TEST_F(ExpanderAnswersTest, ForwardTheDryRunFlag) {
    const std::function<Result<engine::FilterResult>(plugin_runtime::instances::PassWatch&)> pass =
        [shared = instance.shared(), ask = by_loop()](
            plugin_runtime::instances::PassWatch& watch) -> Result<engine::FilterResult> {
        const auto none = std::make_shared<ExpanderAnswers>(std::vector<ExpanderAnswer>(), ask);
        CAPSTAN_TRY(const auto expander, make_expander(shared, watch, none));
        return expander->filter(options_of({"a", "b"}), std::vector<std::uint32_t>{0, 1},
                                {.dry_run = true});
    };
    ASSERT_TRUE(plugin_runtime::instances::run_watched(pass).result);
    EXPECT_TRUE(service.requests.at(0).flags.dry_run);
    EXPECT_FALSE(service.requests.at(0).flags.simulation);
}

TEST_F(ExpanderAnswersTest, RepeatTheCallAfterAnInvalidArgument) {
    service.error = Error{ErrorCode::invalid_argument, "one pod has no name"};
    const auto refused = filter({0, 1});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "plugin probe: filter: one pod has no name");
    service.error.reset();
    EXPECT_TRUE(filter({0, 1}, 10));
}

TEST_F(ExpanderAnswersTest, RefuseAnUnknownOption) {
    service.kept.kept = {{2, 0}};
    const auto answer = filter({0, 1});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::internal);
    EXPECT_THAT(answer.error().message, HasSubstr("option is 2, the request has 2"));
}

TEST_F(ExpanderAnswersTest, AreUnavailableIfTheInstanceHasStopped) {
    std::ignore = plugin_runtime::stop(host, *instance);
    EXPECT_EQ(filter({0, 1}).error().code, ErrorCode::unavailable);
    instance.release();
}

}  // namespace
}  // namespace capstan::autoscaler::policies
