#include <capstan/testing/interleavings.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// How the plugin under test changes the target.
enum class Way : std::uint8_t {
    by_condition,  ///< the API checks the old target and rejects a new one below the machine count
    blindly,       ///< sets an absolute target; the oldest machines are terminated if it is too low
    by_reading,    ///< like by_condition when it is sent, but unchecked when it is carried out late
    never,         ///< the call succeeds without effect
};

/// A plugin and its API.
class TinyCloud : public InterleavedCloud {
public:
    explicit TinyCloud(Way way) : way_(way) { launch_and_record(); }

    Result<CloudView> refresh() override {
        CAPSTAN_CHECK(call());
        const Moment& then = listed();
        CloudView out{.groups = {{.id = NodeGroupId("web"), .min = 0, .max = 8}}};
        out.groups.front().target = then.target;
        for (const int id : then.machines) out.machines.push_back(machine(std::to_string(id)));
        for (int i = static_cast<int>(std::ssize(then.machines)); i < then.target; ++i) {
            Machine open = machine("open-" + std::to_string(i));
            open.state = MachineState::requested;
            if (faults_.stock) open.error = Error{ErrorCode::out_of_capacity, "none left"};
            out.machines.push_back(std::move(open));
        }
        out.target_lag = 10s;
        return out;
    }
    Result<Resized> increase(const Resize& request) override {
        return set(request, request.expected_target + request.delta);
    }
    Result<Resized> decrease_target(const Resize& request) override {
        return set(request, request.expected_target - request.delta);
    }
    Result<Removed> remove(const Removal& request) override {
        CAPSTAN_CHECK(call());
        Removed out;
        for (const MachineId& id : request.machines) {
            const auto at = std::ranges::find(machines_, id.value(),
                                              [](int each) { return std::to_string(each); });
            if (at == machines_.end()) continue;
            machines_.erase(at);
            --target_;
        }
        launch_and_record();
        return out;
    }

    void set_faults(CloudFaults faults) override { faults_ = std::move(faults); }
    std::vector<MachineId> machines() const override {
        std::vector<MachineId> out;
        for (const int id : machines_) out.emplace_back(std::to_string(id));
        return out;
    }
    int target() const override { return target_; }
    void set_target(int target) override {
        target_ = target;
        while (std::ssize(machines_) > target_) machines_.erase(machines_.begin());
        launch_and_record();
    }
    void advance(Duration by) override {
        now_ += by;
        carry_out_late();
        launch_and_record();
    }

private:
    struct Moment {
        Duration at{};
        int target = 0;
        std::vector<int> machines{};
    };
    struct Late {
        Duration at{};
        int expected = 0, target = 0;
    };
    static Machine machine(std::string id) {
        return {.id = MachineId(std::move(id)), .group = NodeGroupId("web")};
    }
    Result<void> call() {
        if (faults_.throttled == 0) return {};
        --faults_.throttled;
        return fail(ErrorCode::throttled, "slow down");
    }
    Result<Resized> set(const Resize& request, int target) {
        CAPSTAN_CHECK(call());
        if (faults_.between) std::exchange(faults_.between, nullptr)();
        if (std::exchange(faults_.hung, 0) > 0) return fail(ErrorCode::deadline, "no answer");
        const bool compares = way_ == Way::by_condition || way_ == Way::by_reading;
        if (compares && !is_expected(request.expected_target, target))
            return fail(ErrorCode::conflict, "changed");
        const Duration late = target > target_ ? std::exchange(faults_.late, {}) : Duration();
        if (late > Duration::zero()) {
            late_.push_back({now_ + late, request.expected_target, target});
            return fail(ErrorCode::deadline, "no answer");
        }
        carry_out(target);
        if (std::exchange(faults_.lost, 0) > 0) return fail(ErrorCode::deadline, "no answer");
        return Resized{target};
    }
    bool is_expected(int expected, int target) const {
        return expected == target_ && target >= std::ssize(machines_);
    }
    void carry_out(int target) {
        if (way_ != Way::never) target_ = target;
        while (std::ssize(machines_) > target_) machines_.erase(machines_.begin());
        launch_and_record();
    }
    void carry_out_late() {
        std::erase_if(late_, [&](const Late& each) {
            if (each.at > now_) return false;
            if (way_ != Way::by_condition || is_expected(each.expected, each.target))
                carry_out(each.target);
            return true;
        });
    }
    void launch_and_record() {
        while (std::ssize(machines_) < target_ && faults_.stock != 0) {
            if (faults_.stock) --*faults_.stock;
            machines_.push_back(next_++);
        }
        history_.push_back({now_, target_, machines_});
    }
    const Moment& listed() const {
        auto at = history_.rbegin();
        while (at + 1 != history_.rend() && at->at > now_ - faults_.list_lag) ++at;
        return *at;
    }

    const Way way_;
    CloudFaults faults_{};
    Duration now_{};
    int target_ = 0, next_ = 1;
    std::vector<int> machines_{};
    std::vector<Moment> history_{};
    std::vector<Late> late_{};
};

std::string violation_of(Way way) {
    return find_violation([way](std::uint64_t) { return std::make_unique<TinyCloud>(way); },
                          {.count = 2'000});
}

TEST(Interleavings, AcceptACloudThatChecksEachChange) {
    EXPECT_EQ(violation_of(Way::by_condition), "");
}

TEST(Interleavings, FindAMachineTerminatedByAnAbsoluteTarget) {
    const std::string found = violation_of(Way::blindly);
    EXPECT_THAT(found, StartsWith("seed "));
    EXPECT_THAT(found, HasSubstr(", which has a node, was terminated\n  "));
}

TEST(Interleavings, FindAMachineTerminatedByALateIncrease) {
    const std::string found = violation_of(Way::by_reading);
    EXPECT_THAT(found, HasSubstr(", an increase is delayed by "));
    EXPECT_THAT(found, HasSubstr(", which has a node, was terminated\n  "));
}

TEST(Interleavings, FindATargetThatNeverConverges) {
    EXPECT_THAT(violation_of(Way::never), HasSubstr(" wanted, but the target stays at "));
}

}  // namespace
}  // namespace capstan::testing
