#include "new_http_cloud.hpp"

#include <gmock/gmock.h>

#include <capstan/plugin.hpp>
#include <capstan/testing/conformance.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/testing/interleavings.hpp>
#include <capstan/testing/run_task.hpp>

#include "fake_api.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace {

using capstan::ErrorCode;
using capstan::MachineId;
using capstan::NodeGroupId;
using capstan::testing::FakeHost;
using capstan::testing::FakeSettings;
using capstan::testing::run;
using namespace std::chrono_literals;

/// The cloud on an API with the groups batch (0 to 5, none) and web (1 to 4, one machine).
struct Cloud {
    FakeHost host;
    FakeApi api{[this] { return host.monotonic(); }};
    FakeSettings settings = capstan::testing::settings_of<NewHttpCloud>();
    NewHttpCloud cloud;

    Cloud() : cloud(host.host(), configured()) {
        host.secrets()["cloud-token"] = "hush";
        host.http().handle([this](const capstan::HttpRequest& r) { return api.answer(r); });
    }
    capstan::Settings configured() {
        return settings.set("endpoint", "https://api.example")
            .set("token", capstan::testing::table({{"secret", "cloud-token"}}))
            .view();
    }
    capstan::Result<capstan::CloudView> view() { return run(host, cloud.refresh()); }
    capstan::Result<capstan::Resized> increase(int by, int expected, std::string key = "k") {
        capstan::Resize request{.group = NodeGroupId("web"),
                                .delta = by,
                                .expected_target = expected,
                                .idempotency_key = std::move(key)};
        return run(host, cloud.increase(std::move(request)));
    }
};

template <class T>
ErrorCode code_of(const capstan::Result<T>& result) {
    return result ? ErrorCode{} : result.error().code;
}

TEST(NewHttpCloud, ReadsAllPagesIntoOneView) {
    Cloud c;
    const auto view = c.view();
    ASSERT_TRUE(view) << view.error();
    ASSERT_EQ(view->groups.size(), 2u);
    EXPECT_EQ(view->groups[1].id, NodeGroupId("web"));
    EXPECT_EQ(view->groups[1].target, 1);
    ASSERT_EQ(view->machines.size(), 1u);
    EXPECT_EQ(view->machines[0].state, capstan::MachineState::running);
    EXPECT_EQ(c.cloud.describe(NodeGroupId("web"))->capacity.amount("cpu"), 4000);
    EXPECT_EQ(code_of(c.cloud.describe(NodeGroupId("db"))), ErrorCode::not_found);
}

TEST(NewHttpCloud, DoesAnIncreaseOnceWhenItsReplyIsLost) {
    Cloud c;
    c.api.lost = 1;
    EXPECT_EQ(c.increase(2, 1)->target, 3);
    EXPECT_EQ(c.api.count("web"), 3);
}

TEST(NewHttpCloud, WaitsAsLongAsTheApiAsks) {
    Cloud c;
    c.api.throttled = 2;
    const auto before = c.host.monotonic();
    EXPECT_TRUE(c.view());
    EXPECT_EQ(c.host.monotonic() - before, 4s);
    c.api.throttled = 100;
    EXPECT_EQ(code_of(c.view()), ErrorCode::throttled);
}

TEST(NewHttpCloud, GrowsFromTheLastResponseWhileTheListLags) {
    Cloud c;
    c.api.lag = 30s;
    EXPECT_EQ(c.increase(1, 1, "a")->target, 2);
    EXPECT_EQ(c.view()->groups[1].target, 1);
    EXPECT_EQ(code_of(c.increase(1, 1, "b")), ErrorCode::conflict);
    EXPECT_EQ(c.increase(1, 2, "c")->target, 3);
    c.host.advance(30s);
    EXPECT_EQ(c.view()->groups[1].target, 3);
}

TEST(NewHttpCloud, ReportsMachinesThatAreSoldOut) {
    Cloud c;
    c.api.sold_out = {"web"};
    EXPECT_TRUE(c.increase(1, 1));
    const auto view = c.view();
    ASSERT_EQ(view->machines.size(), 2u);
    EXPECT_EQ(view->machines[1].error->code, ErrorCode::out_of_capacity);
}

TEST(NewHttpCloud, ReportsARefusalForLackOfCapacity) {
    Cloud c;
    c.host.http().on("PUT", "https://api.example/v1/groups/web/target",
                     capstan::testing::reply(507, "sold out"));
    EXPECT_EQ(code_of(c.increase(1, 1)), ErrorCode::out_of_capacity);
}

/// The group batch, which may have up to five machines.
class CloudAndApi : public capstan::testing::InterleavedCloud {
public:
    capstan::Result<capstan::CloudView> refresh() override { return c_.view(); }
    capstan::Result<capstan::Resized> increase(const capstan::Resize& request) override {
        return run(c_.host, c_.cloud.increase(request));
    }
    capstan::Result<capstan::Resized> decrease_target(const capstan::Resize& request) override {
        return run(c_.host, c_.cloud.decrease_target(request));
    }
    capstan::Result<capstan::Removed> remove(const capstan::Removal& request) override {
        return run(c_.host, c_.cloud.remove(request));
    }
    void set_faults(capstan::testing::CloudFaults faults) override {
        c_.api.lag = faults.list_lag;
        c_.api.stock.clear();
        if (faults.stock) c_.api.stock["batch"] = *faults.stock;
        c_.api.throttled = faults.throttled;
        c_.api.hung = faults.hung;
        c_.api.lost = faults.lost;
        c_.api.late = faults.late;
        c_.api.between = std::move(faults.between);
    }
    std::vector<MachineId> machines() const override {
        std::vector<MachineId> out;
        for (const auto& [id, group] : c_.api.machines())
            if (group == "batch") out.emplace_back(id);
        return out;
    }
    int target() const override { return c_.api.groups.at("batch").target; }
    void set_target(int target) override { c_.api.set_by_another("batch", target); }
    void advance(capstan::Duration by) override {
        c_.host.advance(by);
        c_.api.make_machines();
    }

private:
    Cloud c_;
};

TEST(NewHttpCloud, EndsNoMachineWithANodeHoweverCallsAndFaultsInterleave) {
    const auto make = [](std::uint64_t) { return std::make_unique<CloudAndApi>(); };
    EXPECT_EQ(capstan::testing::find_violation(make, {.count = 500, .max = 5}), "");
}

TEST(NewHttpCloud, RemovesTheOthersWhenOneMachineCannotBeRemoved) {
    Cloud c;
    EXPECT_TRUE(c.increase(1, 1));
    capstan::Removal request{.group = NodeGroupId("web"),
                             .machines = {MachineId("vm-9"), MachineId("vm-2")}};
    const auto removed = run(c.host, c.cloud.remove(std::move(request)));
    ASSERT_EQ(removed->failed.size(), 1u);
    EXPECT_EQ(removed->failed[0].subject, "vm-9");
    EXPECT_EQ(c.api.count("web"), 1);
}

TEST(NewHttpCloud, FailsTheRefreshRatherThanReportHalfAList) {
    Cloud c;
    c.host.http().on("GET",
                     "https://api.example/v1/groups?page=", capstan::testing::reply(200, "{}"));
    EXPECT_EQ(code_of(c.view()), ErrorCode::unavailable);
}

TEST(NewHttpCloud, PassesTheConformanceChecks) {
    capstan::testing::ConformanceOptions options;
    options.settings["new_http_cloud"] = {
        {"endpoint", "https://api.example"},
        {"token", capstan::testing::table({{"secret", "cloud-token"}})}};
    options.prepare = [](FakeHost& host, std::string_view) {
        const auto api = std::make_shared<FakeApi>([&host] { return host.monotonic(); });
        host.http().handle([api](const capstan::HttpRequest& r) { return api->answer(r); });
    };
    const auto results = capstan::testing::run_checks(
        capstan::testing::conformance_checks(capstan_entry_1, options));
    EXPECT_THAT(capstan::testing::skipped_classes(results), testing::IsEmpty());
    for (const auto& r : results) {
        EXPECT_NE(r.outcome.verdict, capstan::testing::Outcome::Verdict::failed)
            << r.name << ": " << r.outcome.sentence;
    }
}

}  // namespace
