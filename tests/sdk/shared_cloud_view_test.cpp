#include <capstan/shared_cloud_view.hpp>

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <capstan/cloud_provider.hpp>
#include <capstan/testing/fake_host.hpp>

namespace {

using capstan::CloudView;
using capstan::Machine;
using capstan::MachineId;
using capstan::NodeGroup;
using capstan::NodeGroupId;
using capstan::Result;
using capstan::SharedCloudView;
using capstan::Task;
using capstan::testing::FakeHost;

CloudView one_machine() {
    return {.complete = true,
            .groups = {NodeGroup{.id = NodeGroupId("web"), .target = 1}},
            .machines = {Machine{.id = MachineId("acme://a-machine-with-a-long-name/1"),
                                 .group = NodeGroupId("web")}}};
}

TEST(SharedCloudView, ContainsTheViewItWasMadeOf) {
    EXPECT_EQ(*SharedCloudView(one_machine()), one_machine());
    EXPECT_EQ(SharedCloudView(one_machine())->machines.size(), 1u);
}

TEST(SharedCloudView, SharesItsDataWithCopies) {
    std::optional<SharedCloudView> first(one_machine());
    const SharedCloudView copy = *first;
    const auto* const machines = copy.raw().machines.data;
    EXPECT_EQ(&copy.raw(), &first->raw());
    first.reset();
    EXPECT_EQ(copy.raw().machines.data, machines);
    EXPECT_EQ(*copy, one_machine());
}

TEST(SharedCloudView, CanEndSeveralRefreshes) {
    FakeHost host;
    const SharedCloudView view(one_machine());
    const auto given_by = [&host](auto refresh) {
        return host
            .call<CloudView>([&](capstan_op op) {
                return capstan::detail::run_operation<CloudView>(host.host(), op, refresh);
            })
            .result();
    };
    EXPECT_EQ(given_by([&] { return view; }), one_machine());
    EXPECT_EQ(given_by([&] { return Result<SharedCloudView>(view); }), one_machine());
    EXPECT_EQ(given_by([&]() -> Task<SharedCloudView> { co_return view; }), one_machine());
    EXPECT_EQ(given_by([&]() -> Task<SharedCloudView> {
                  co_return capstan::fail(capstan::ErrorCode::throttled, "slow down");
              }),
              capstan::fail(capstan::ErrorCode::throttled, "slow down"));
}

}  // namespace
