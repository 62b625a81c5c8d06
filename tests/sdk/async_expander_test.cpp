#include <capstan/async_expander.hpp>

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/plugin.hpp>
#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/testing/plugin_instance.hpp>
#include <capstan/testing/responses.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::AsyncExpanderRequest;
using capstan::ErrorCode;
using capstan::Host;
using capstan::KeptOptions;
using capstan::Settings;
using capstan::Task;
using capstan::testing::FakeCall;
using capstan::testing::FakeHost;
using capstan::testing::FakeSettings;
using capstan::testing::option;
using capstan::testing::PluginInstance;
using capstan::testing::Question;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Keeps the options with an even number of nodes, a second later.
class Even {
public:
    Even(Host host, const Settings&) : host_(host) {}
    Task<KeptOptions> filter(AsyncExpanderRequest request) {
        co_await capstan::sleep_for(host_, 1s);
        KeptOptions out;
        for (std::uint32_t i = 0; i < request.options.size(); ++i)
            if (request.options[i].nodes % 2 == 0) out.kept.push_back({i, 1});
        out.sentences.push_back(std::to_string(out.kept.size()) + " are even");
        co_return out;
    }

private:
    Host host_;
};

struct AsyncExpander : ::testing::Test {
    const capstan_class type = capstan::make_class<Even>({.id = "even", .doc = "Even numbers."});
    FakeHost host;
    FakeSettings settings;
    PluginInstance instance = PluginInstance::create(host, type, settings).value();
    const capstan_async_expander& table =
        *instance.find<capstan_async_expander>(CAPSTAN_INTERFACE_ASYNC_EXPANDER);
};

TEST_F(AsyncExpander, IsAnExpanderThatIsNotPure) {
    EXPECT_EQ(capstan::text(type.kind), CAPSTAN_KIND_EXPANDER);
    EXPECT_EQ(type.flags, 0u);
}

TEST_F(AsyncExpander, WaitsForItsService) {
    const Question question{{option("a").nodes(1), option("b").nodes(2), option("c").nodes(4)}};
    const auto response = ask(host, table, question.raw(), FakeCall());
    EXPECT_TRUE(response.is_good()) << response.status;
    EXPECT_THAT(response.kept, ElementsAre(1u, 2u));
}

TEST_F(AsyncExpander, ReportsATimeout) {
    const Question question{{option("a")}};
    FakeCall call;
    call.due(host.monotonic() + 500ms);
    const auto response = ask(host, table, question.raw(), call);
    EXPECT_EQ(response.status, CAPSTAN_E_DEADLINE);
    EXPECT_THAT(response.faults, ElementsAre(HasSubstr("timed out")));
}

TEST_F(AsyncExpander, RejectsASynchronousCall) {
    const Question question{{option("a")}};
    FakeCall call;
    const auto response =
        ask(*instance.find<capstan_expander>(CAPSTAN_KIND_EXPANDER), question.raw(), call);
    EXPECT_EQ(response.status, CAPSTAN_E_UNSUPPORTED);
    EXPECT_THAT(response.faults, IsEmpty());
}

TEST_F(AsyncExpander, RejectsARequestWithoutOptions) {
    capstan_async_expander_request request{sizeof request, 0, 1, 0, nullptr};
    const auto run_filter = [&] {
        return host.settle(host.call<KeptOptions>(
            [&](capstan_op op) { return table.filter(table.self, op, &request); }));
    };
    EXPECT_FALSE(run_filter());
    const capstan_expander_request none{sizeof none, 0, {}, {}};
    request.options = &none;
    EXPECT_FALSE(run_filter());
}

TEST(KeptOptions, AreReadWithBoundChecks) {
    const capstan_kept_option kept{sizeof kept, 1, 0.5};
    capstan_selection raw{sizeof raw, 0, {&kept, 1, sizeof kept}, {}};
    const auto read = capstan::kept_options_from_abi(raw, 2);
    ASSERT_TRUE(read) << read.error();
    EXPECT_THAT(read->kept, ElementsAre(KeptOptions::Kept{1, 0.5}));
    EXPECT_FALSE(capstan::kept_options_from_abi(raw, 1)) << "the only option has index 0";
    const capstan_kept_option no_number{sizeof kept, 0, std::numeric_limits<double>::quiet_NaN()};
    raw.kept.data = &no_number;
    EXPECT_FALSE(capstan::kept_options_from_abi(raw, 2));
}

}  // namespace
