// Random interleavings of a host, the plugin, Google and other clients.
#include <gmock/gmock.h>

#include <random>

#include <capstan/testing/interleavings.hpp>

#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::seconds;

/// An instance exists once it has an id. It runs some seconds later: longer than lists lag, so a
/// list shows the id before there can be a node.
constexpr Duration boot_time = seconds(5);

class InterleavedGce : public testing::InterleavedCloud {
public:
    explicit InterleavedGce(std::uint64_t seed) : random_(seed) {
        project_.config.discovery = {{.name_prefix = "web", .min = 0, .max = 8}};
        project_.host.set_log_level(CAPSTAN_LOG_ERROR);
        project_.gce.records_requests = false;
        project_.gce.remember();
        project_.add("web");
        project_.gce.remember();
    }

    Result<CloudView> refresh() override { return project_.refresh(); }
    Result<Resized> increase(const Resize& request) override {
        fail_some_operations();
        return after(testing::run(project_.host, cloud().increase(request)));
    }
    Result<Resized> decrease_target(const Resize& request) override {
        return after(testing::run(project_.host, cloud().decrease_target(request)));
    }
    Result<Removed> remove(const Removal& request) override {
        return after(testing::run(project_.host, cloud().remove(request)));
    }

    void set_faults(testing::CloudFaults faults) override {
        FakeGce& gce = project_.gce;
        gce.list_lag = faults.list_lag;
        gce.throttled = faults.throttled;
        // For each of the three attempts that the client makes.
        gce.hung = faults.hung * 3;
        gce.lost = faults.lost * 3;
        gce.late = faults.late;
        gce.before_change = std::move(faults.between);
        stock_ = faults.stock;
        is_calm_ = faults.list_lag == Duration::zero() && !faults.stock && !gce.before_change;
        step();
    }
    std::vector<MachineId> machines() const override {
        std::vector<MachineId> out;
        for (const FakeVm& vm : project_.gce.groups.at(web_key).instances)
            if (vm.status == "RUNNING" && vm.action != "DELETING") out.emplace_back(id_of(vm));
        return out;
    }
    int target() const override { return project_.gce.groups.at(web_key).target; }
    /// Google names the new instances itself. It first deletes the instances that it has not
    /// created yet.
    void set_target(int target) override {
        FakeMig& group = project_.group();
        for (; group.target < target; ++group.target)
            group.instances.push_back({.name = "web-by-" + std::to_string(++last_name_),
                                       .action = "CREATING",
                                       .status = ""});
        std::stable_sort(group.instances.begin(), group.instances.end(),
                         [](const FakeVm& a, const FakeVm& b) { return a.number > b.number; });
        for (std::size_t i = group.instances.size(); i > 0 && group.target > target; --i) {
            FakeVm& vm = group.instances[i - 1];
            if (vm.action == "DELETING") continue;
            vm.action = "DELETING";
            --group.target;
        }
        project_.gce.remember();
    }
    void advance(Duration by) override {
        project_.host.advance(by);
        step();
    }

private:
    GceCloud& cloud() { return project_.cloud(); }
    template <class T>
    T after(T response) {
        step();
        return response;
    }
    /// Some increases fail after they were accepted.
    void fail_some_operations() {
        const bool fails = !is_calm_ && random_() % 4 == 0;
        project_.gce.polls = fails ? 6 : 0;
        project_.gce.endings["createInstances"].clear();
        if (fails)
            project_.gce.endings["createInstances"] = {
                {"ZONE_RESOURCE_POOL_EXHAUSTED", "no stock", ""}};
    }
    /// Applies what Google does by itself.
    void step() {
        project_.gce.carry_out_late();
        FakeMig& group = project_.group();
        std::erase_if(group.instances, [](const FakeVm& vm) { return vm.action == "DELETING"; });
        const Duration now = project_.host.monotonic();
        // An operation ends even if it is not polled.
        group.target -= static_cast<int>(std::erase_if(group.instances, [&](const FakeVm& vm) {
            return vm.is_abandoned &&
                   now - requested_at_.try_emplace(vm.name, now).first->second >= seconds(20);
        }));
        for (FakeVm& vm : group.instances) {
            if (vm.is_abandoned || vm.status == "RUNNING") continue;
            if (vm.number == 0 && stock_ == 0) {
                vm.fault = "ZONE_RESOURCE_POOL_EXHAUSTED";
                continue;
            }
            if (vm.number == 0) {
                if (stock_) --*stock_;
                vm.number = ++last_number_;
                vm.status = "PROVISIONING";
                vm.fault.clear();
                made_at_[vm.name] = now;
            } else if (now - made_at_.at(vm.name) >= boot_time) {
                vm.action = "NONE";
                vm.status = "RUNNING";
            }
        }
        project_.gce.remember();
    }

    Project project_{};
    std::mt19937_64 random_;
    std::optional<int> stock_{};
    bool is_calm_ = false;
    int last_name_ = 0, last_number_ = 1000;
    std::map<std::string, Duration> requested_at_{}, made_at_{};
};

TEST(GceInterleavings, DeleteNoUnintendedInstanceWithANodeAndConverge) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<InterleavedGce>(seed); };
    EXPECT_EQ(testing::find_violation(make, {.count = INTERLEAVINGS}), "");
}

}  // namespace
}  // namespace capstan::gce
