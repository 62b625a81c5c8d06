// Invariants about waste: evictions of a replica, machines that were not needed, machines that were
// given back too early, and node hours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waste_case.hpp"

namespace capstan::simulator::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ChurnInvariant, RejectsAReplicaThatIsMovedTwiceInTwoHoursOfCalm) {
    const auto invariant = churn_invariant();
    calm = noon - 10min;
    begin(*invariant);
    order(3);
    for (const int n : {1, 2, 3}) join(n);
    arrive("default/web-a");
    bind("default/web-a", "web-1");
    move("default/web-a", "web-1", "default/web-b", "web-2");
    EXPECT_THAT(take(), IsEmpty());
    after(1h);
    move("default/web-b", "web-2", "default/web-c", "web-3");
    EXPECT_THAT(take(), ElementsAre(HasSubstr("is evicted 2 times in 1h, while no pod ended")));
    after(150min);
    move("default/web-c", "web-3", "default/web-d", "web-1");
    EXPECT_THAT(take(), IsEmpty()) << "the last eviction was more than two hours ago";
}

TEST_F(ChurnInvariant, AllowsAnEvictionForTheLastFaultsInTenMinutes) {
    const auto invariant = churn_invariant();
    calm = noon - 10min + 1s;
    begin(*invariant);
    order(3);
    for (const int n : {1, 2, 3}) join(n);
    arrive("default/web-a");
    bind("default/web-a", "web-1");
    move("default/web-a", "web-1", "default/web-b", "web-2");
    after(1h);
    move("default/web-b", "web-2", "default/web-c", "web-3");
    EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ChurnInvariant, AllowsFourEvictionsInCalmIfPodsOfOtherNodesEndInBetween) {
    const auto invariant = churn_invariant();
    calm = noon;
    begin(*invariant);
    order(2);
    join(1);
    join(2);
    arrive("default/web-0");
    bind("default/web-0", "web-1");
    for (int n = 0; n < 5; ++n) {
        EXPECT_THAT(take(), IsEmpty());
        const std::string job = "default/job-" + std::to_string(n);
        bind(job, "web-2");
        after(1min);
        tell_pod(FactKind::pod_completed, job, "web-2");
        gone(job, "web-2");
        move("default/web-" + std::to_string(n), "web-1", "default/web-" + std::to_string(n + 1),
             "web-1");
    }
    EXPECT_THAT(take(), ElementsAre(HasSubstr("is evicted 5 times in 4m")));
}

TEST_F(ChurnInvariant, CountsAnEvictionAfterAPodOfTheSameNodeEndedHalf) {
    const auto invariant = churn_invariant();
    calm = noon;
    begin(*invariant);
    order(1);
    join(1);
    arrive("default/web-0");
    bind("default/web-0", "web-1");
    for (int n = 0; n < 8; ++n) {
        EXPECT_THAT(take(), IsEmpty());
        const std::string job = "default/job-" + std::to_string(n);
        bind(job, "web-1");
        after(1min);
        tell_pod(FactKind::pod_completed, job, "web-1");
        gone(job, "web-1");
        move("default/web-" + std::to_string(n), "web-1", "default/web-" + std::to_string(n + 1),
             "web-1");
    }
    EXPECT_THAT(take(), ElementsAre(HasSubstr("is evicted 8 times in 7m")));
}

TEST_F(ChurnInvariant, AllowsAnEvictionAfterASystemPodCameToTheNode) {
    const auto invariant = churn_invariant();
    calm = noon - 10min;
    begin(*invariant);
    order(3);
    for (const int n : {1, 2, 3}) join(n);
    arrive("default/web-a");
    bind("default/web-a", "web-1");
    arrive("kube-system/dns-a");
    bind("kube-system/dns-a", "web-1");
    move("kube-system/dns-a", "web-1", "kube-system/dns-b", "web-2");
    move("default/web-a", "web-1", "default/web-b", "web-2");
    after(70min);
    move("default/web-b", "web-2", "default/web-c", "web-3");
    EXPECT_THAT(take(), IsEmpty());
    after(10min);
    move("default/web-c", "web-3", "default/web-d", "web-1");
    EXPECT_THAT(take(), ElementsAre(HasSubstr("is evicted 2 times in 1h20m")));
}

TEST_F(ChurnInvariant, ExcusesEvictionsWhileExpendablePodsHaveNodes) {
    const auto invariant = churn_invariant();
    calm = noon;
    begin(*invariant);
    order(2);
    join(1);
    join(2);
    pod_object.spec.priority = -20;
    bind("default/low", "web-1");
    pod_object.spec.priority.reset();
    arrive("default/web-a");
    bind("default/web-a", "web-1");
    move("default/web-a", "web-1", "default/web-b", "web-2");
    move("default/web-b", "web-2", "default/web-c", "web-1");
    EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ChurnInvariant, AllowsMoreEvictionsWhileThereAreFaults) {
    const auto invariant = churn_invariant();
    begin(*invariant);
    order(1);
    join(1);
    arrive("default/web-0");
    bind("default/web-0", "web-1");
    for (int n = 0; n < 4; ++n)
        move("default/web-" + std::to_string(n), "web-1", "default/web-" + std::to_string(n + 1),
             "web-1");
    EXPECT_THAT(take(), IsEmpty());
    move("default/web-4", "web-1", "default/web-5", "web-1");
    EXPECT_THAT(take(), ElementsAre(HasSubstr("is evicted 5 times")));
}

TEST_F(ChurnInvariant, CountsEachReplicaByItself) {
    const auto invariant = churn_invariant();
    calm = noon;
    begin(*invariant);
    order(2);
    join(1);
    join(2);
    for (const char* const pod : {"default/web-a", "default/web-b"}) {
        arrive(pod);
        bind(pod, "web-1");
    }
    move("default/web-a", "web-1", "default/web-c", "web-2");
    move("default/web-b", "web-1", "default/web-d", "web-2");
    EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ChurnInvariant, ExcusesPodsThatWouldHaveGoneInAnyCase) {
    const auto invariant = churn_invariant();
    calm = noon;
    begin(*invariant);
    order(1);
    join(1);
    group.machines[0].leaves = Leaving{.at = now + 2min};
    see();
    arrive("default/web-a");
    bind("default/web-a", "web-1");
    for (const auto& [pod, then] : {std::pair{"a", "b"}, {"b", "c"}, {"c", "d"}})
        move("default/web-" + std::string(pod), "web-1", "default/web-" + std::string(then),
             "web-1");
    EXPECT_THAT(take(), IsEmpty()) << "the machine has a termination notice";
    group.machines[0].leaves.reset();
    see();
    pod_object.spec.priority = -20;
    arrive("default/low-a");
    bind("default/low-a", "web-1");
    for (const auto& [pod, then] : {std::pair{"a", "b"}, {"b", "c"}, {"c", "d"}})
        move("default/low-" + std::string(pod), "web-1", "default/low-" + std::string(then),
             "web-1");
    EXPECT_THAT(take(), IsEmpty()) << "pods of negative priority yield to others";
}

TEST_F(OrdersInvariant, RejectsMachinesThatThePodsDidNotNeed) {
    for (const int machines : {2, 7}) {
        const auto invariant = orders_invariant();
        group.machines.clear();
        begin(*invariant);
        for (int n = 1; n <= 8; ++n) arrive("default/web-" + std::to_string(n));
        order(machines);
        const int last = static_cast<int>(group.machines.size());
        after(2min);
        for (int n = 0; n < machines; ++n) {
            const int number = std::stoi(group.machines[n].id.value().substr(4));
            join(number);
            bind("default/web-" + std::to_string(n + 1), node_of(number));
        }
        for (int n = machines + 1; n <= 8; ++n)
            bind("default/web-" + std::to_string(n),
                 node_of(std::stoi(group.machines[0].id.value().substr(4))));
        EXPECT_EQ(last, machines);
        if (machines == 2) {
            EXPECT_THAT(finish(), IsEmpty());
        } else {
            EXPECT_THAT(finish(), ElementsAre(HasSubstr("7 machines were ordered and 2 machines")));
        }
    }
}

TEST_F(OrdersInvariant, ExcusesMachinesWhosePodsHaveGone) {
    for (const bool have_gone : {true, false}) {
        const auto invariant = orders_invariant();
        group.machines.clear();
        begin(*invariant);
        arrive("default/web-a");
        order(5);
        after(2min);
        if (have_gone) gone("default/web-a");
        EXPECT_EQ(finish().size(), have_gone ? 0u : 1u);
    }
}

TEST_F(OrdersInvariant, ExcusesMachinesWhosePodsGoBeforeTheCloudAnswers) {
    const auto invariant = orders_invariant();
    begin(*invariant);
    arrive("default/web-a");
    increase(5);
    see();
    decision = {};
    gone("default/web-a");
    order(5);
    after(2min);
    EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(OrdersInvariant, ExcusesMachinesThatWereListedTooLate) {
    for (const Duration until_read : {Duration(1min), Duration(16min)}) {
        const auto invariant = orders_invariant();
        group.machines.clear();
        begin(*invariant);
        arrive("default/web-a");
        order(5);
        see();
        after(until_read);
        for (const Machine& machine : std::vector(group.machines))
            join(std::stoi(machine.id.value().substr(4)));
        EXPECT_EQ(finish().size(), until_read > 15min ? 0u : 1u);
    }
}

TEST_F(OrdersInvariant, ExcusesMachinesThatFail) {
    const auto invariant = orders_invariant();
    begin(*invariant);
    arrive("default/web-a");
    order(5);
    after(2min);
    for (int n = 1; n <= 5; ++n) {
        const std::string id = "web/" + std::to_string(n);
        tell({.kind = FactKind::machine_failed,
              .cause = Cause::cloud,
              .group = "web",
              .machine = id});
    }
    EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(ReturnsInvariant, RejectsMachinesThatAreGivenUpBeforeTheyCouldBeNodes) {
    for (const Duration wait : {Duration(5s), Duration(5min)}) {
        const auto invariant = returns_invariant();
        group.machines.clear();
        begin(*invariant);
        arrive("default/web-a");
        order(5);
        see();
        now += wait;
        std::vector<int> numbers;
        for (const Machine& machine : group.machines)
            numbers.push_back(std::stoi(machine.id.value().substr(4)));
        for (const int number : numbers) remove(number);
        if (wait < 1min) {
            EXPECT_THAT(take(), ElementsAre(HasSubstr("is removed 5s after its order")));
        } else {
            EXPECT_THAT(take(), IsEmpty());
        }
    }
}

TEST_F(ReturnsInvariant, ExcusesMachinesOfAFault) {
    const auto invariant = returns_invariant();
    begin(*invariant);
    arrive("default/web-a");
    order(5);
    see();
    tell({.kind = FactKind::fault_began,
          .cause = Cause::fault,
          .group = "web",
          .fault = FaultKind::stock_out});
    for (int n = 1; n <= 5; ++n) remove(n);
    EXPECT_THAT(take(), IsEmpty());
}

TEST_F(NodeHoursInvariant, RejectsIdleNodes) {
    for (const int idle : {0, 4}) {
        const auto invariant = node_hours_invariant();
        now = noon;
        group.machines.clear();
        calm = noon;
        begin(*invariant);
        order(1 + idle);
        std::vector<int> numbers;
        for (const Machine& machine : group.machines)
            numbers.push_back(std::stoi(machine.id.value().substr(4)));
        for (const int number : numbers) join(number);
        for (int n = 0; n < 4; ++n) {
            const std::string pod = "default/web-" + std::to_string(n);
            arrive(pod);
            bind(pod, node_of(numbers[0]));
        }
        after(4h);
        if (idle == 0) {
            EXPECT_THAT(finish(), IsEmpty());
        } else {
            EXPECT_THAT(finish(), ElementsAre(HasSubstr("core hours")));
        }
    }
}

/// A pod runs on a large node because the smaller ones of group "small" cannot be had.
TEST_F(NodeHoursInvariant, ExpectsNoMachinesOfAGroupWhoseIncreasesFailUntilTheEnd) {
    const Resources size{{"cpu", 1000}, {"memory", 1 << 28}, {"pods", 110}};
    add_group("small").described =
        std::make_shared<const NodeTemplate>(NodeTemplate{.capacity = size, .allocatable = size});
    config::TomlValue fails;
    fails.children = {config::text_value("fail", "quota")};
    for (const bool is_refused : {false, true}) {
        const auto invariant = node_hours_invariant();
        now = calm = input.start = noon;
        group.machines.clear();
        if (is_refused)
            input.steps = {{.actions = {{.what = CloudChange{"small", fails}}}, .advance = 8h}};
        begin(*invariant);
        order(1);
        const int number = std::stoi(group.machines[0].id.value().substr(4));
        join(number);
        arrive("default/web-1");
        bind("default/web-1", node_of(number));
        after(4h);
        EXPECT_EQ(finish().empty(), is_refused);
    }
}

TEST_F(NodeHoursInvariant, ExcusesNodesOfPodsThatMustNotBeMoved) {
    const auto invariant = node_hours_invariant();
    calm = noon;
    begin(*invariant);
    order(5);
    pod_object.annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"] = "false";
    for (int n = 1; n <= 5; ++n) {
        join(n);
        arrive("default/web-" + std::to_string(n));
        bind("default/web-" + std::to_string(n), node_of(n));
    }
    after(4h);
    EXPECT_THAT(finish(), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::chaos
