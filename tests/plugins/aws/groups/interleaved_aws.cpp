#include "interleaved_aws.hpp"

#include <algorithm>
#include <utility>

#include <capstan/testing/run_task.hpp>

#include "groups/lifecycle.hpp"
#include "groups/machine_names.hpp"

namespace capstan::aws {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const NodeGroupId web_group("web");
constexpr Duration hang_time = seconds(7), first_retry = seconds(30);

int count_members(const AutoScalingGroup& group, const std::string& zone = {}) {
    return static_cast<int>(std::ranges::count_if(group.instances, [&](const AsgInstance& each) {
        return is_member(each) && (zone.empty() || each.zone == zone);
    }));
}

AutoScalingGroup first_group(Protection protection, std::uint64_t seed) {
    AutoScalingGroup out{.name = "web", .max = 8};
    for (std::uint64_t n = 0; n <= seed % 3; ++n)
        out.zones.push_back("eu-central-1" + std::string(1, static_cast<char>('a' + n)));
    out.protects_new_instances = protection == Protection::by_group;
    return out;
}

}  // namespace

InterleavedApi::InterleavedApi(testing::FakeHost& host, AwsClient& client, Protection protection,
                               std::uint64_t seed)
    : AutoScalingApi(client),
      host_(host),
      protection_(protection),

      // Without protection, no launch may begin between a read and the change after it.
      launch_delay_(
          milliseconds(protection == Protection::none ? 100 + seed % 1'000 : seed % 4 * 700)),
      boot_(milliseconds(500 + seed % 5 * 400)),
      group_(first_group(protection, seed)) {
    remember();
}

void InterleavedApi::remember() {
    history_.push_back({host_.monotonic(), group_});
    while (history_.size() > 1 && history_[1].at < host_.monotonic() - seconds(5))
        history_.pop_front();
}

void InterleavedApi::note(const std::string& description, const std::string& status) {
    activities_.push_front(
        {.description = description,
         .started = host_.now(),
         .ended = status == "InProgress" ? std::nullopt : std::optional(host_.now()),
         .status_code = status,
         .status_message = status == "Failed" ? "InsufficientInstanceCapacity" : ""});
    if (activities_.size() > 60) activities_.pop_back();
}

void InterleavedApi::act() {
    carry_out_late();
    for (AsgInstance& each : group_.instances) {
        if (each.lifecycle_state != "Pending") continue;
        if (host_.monotonic() < in_service_at_.at(each.id)) continue;
        each.lifecycle_state = "InService";
        for (ScalingActivity& activity : activities_) {
            if (!activity.description.ends_with(": " + each.id)) continue;
            activity.status_code = "Successful";
            activity.ended = host_.now();
        }
    }
    launch_missing();
    end_surplus();
    remember();
}

void InterleavedApi::launch_missing() {
    if (count_members(group_) >= group_.desired) {
        attempt_at_.reset();
        retry_ = first_retry;
        return;
    }
    if (!attempt_at_) attempt_at_ = host_.monotonic() + launch_delay_;
    if (host_.monotonic() < *attempt_at_) return;
    while (count_members(group_) < group_.desired) {
        if (launch_one()) continue;
        attempt_at_ = host_.monotonic() + retry_;
        retry_ = std::min<Duration>(retry_ * 2, seconds(300));
        return;
    }
    attempt_at_.reset();
}

/// While capacity is limited, the last of several zones has none.
bool InterleavedApi::is_out(const std::string& zone) const {
    if (!faults.stock) return false;
    return *faults.stock == 0 || (group_.zones.size() > 1 && zone == group_.zones.back());
}

std::vector<std::string> InterleavedApi::zones_by_size() const {
    std::vector<std::string> out = group_.zones;
    std::ranges::stable_sort(out, {},
                             [&](const std::string& zone) { return count_members(group_, zone); });
    return out;
}

bool InterleavedApi::launch_one() {
    for (const std::string& zone : zones_by_size()) {
        if (is_out(zone)) {
            note("Launching a new EC2 instance.  Status Reason: none left", "Failed");
            continue;
        }
        if (faults.stock) --*faults.stock;
        const std::string id = "i-" + std::to_string(++last_id_);
        group_.instances.push_back({.id = id,
                                    .zone = zone,
                                    .lifecycle_state = "Pending",
                                    .is_protected = group_.protects_new_instances});
        in_service_at_[id] = host_.monotonic() + boot_;
        note("Launching a new EC2 instance: " + id, "InProgress");
        return true;
    }
    return false;
}

void InterleavedApi::end(const std::string& id) {
    note("Terminating EC2 instance: " + id, "Successful");
    std::erase_if(group_.instances, [&](const AsgInstance& each) { return each.id == id; });
}

void InterleavedApi::end_surplus() {
    while (count_members(group_) > group_.desired) {
        const AsgInstance* victim = nullptr;
        for (const AsgInstance& each : group_.instances) {
            if (each.is_protected) continue;
            if (victim == nullptr ||
                count_members(group_, each.zone) > count_members(group_, victim->zone))
                victim = &each;
        }
        if (victim == nullptr) return;
        end(std::string(victim->id));
    }
}

/// Sets the desired capacity, but not below the number of instances that the plugin protects: AWS
/// would terminate those later, when the plugin ends the protection, without a request of the host.
void InterleavedApi::set_by_another(int desired) {
    act();
    const int held =
        protection_ == Protection::by_plugin ? count_instances(group_).protected_members : 0;
    group_.desired = std::max(desired, held);
    was_set_by_another_ = true;
    for (Late& late : late_) late.is_overtaken = true;
    end_surplus();
    remember();
}

/// A late request lowers nothing here if another client has set the desired capacity meanwhile.
/// docs/aws.md describes what it can terminate in this case.
void InterleavedApi::carry_out_late() {
    std::erase_if(late_, [&](const Late& late) {
        if (late.at > host_.monotonic()) return false;
        if (!late.is_overtaken || late.desired > group_.desired) group_.desired = late.desired;
        return true;
    });
}

void InterleavedApi::check_throttle() {
    if (faults.throttled == 0) return;
    --faults.throttled;
    throw Failure(ErrorCode::throttled, "Rate exceeded");
}

Task<InterleavedApi::Fate> InterleavedApi::begin_change() {
    check_throttle();
    act();
    if (faults.between) std::exchange(faults.between, nullptr)();
    if (std::exchange(faults.hung, 0) > 0) {
        co_await sleep_for(host_.host(), hang_time);
        // A request that is applied late finds the instances that were launched meanwhile.
        const bool is_late = has_window() && host_.host().random() % 2 == 0;
        co_return is_late ? Fate::done_late : Fate::without_effect;
    }
    co_return std::exchange(faults.lost, 0) > 0 ? Fate::answer_lost : Fate::done;
}

void InterleavedApi::end_change(Fate fate) {
    if (fate != Fate::without_effect) act();
    if (fate != Fate::done) throw Failure(ErrorCode::deadline, "no answer");
}

Task<AutoScalingGroups> InterleavedApi::find_groups(std::vector<TagFilter>) {
    co_return AutoScalingGroups();
}

Task<AutoScalingGroups> InterleavedApi::describe_groups(std::vector<std::string>) {
    check_throttle();
    act();
    auto at = history_.rbegin();
    while (at + 1 != history_.rend() && at->at > host_.monotonic() - faults.list_lag) ++at;
    AutoScalingGroups out;
    out.groups.push_back(at->group);
    co_return out;
}

Task<std::vector<ScalingActivity>> InterleavedApi::describe_activities(std::string,
                                                                       std::optional<Time> since) {
    check_throttle();
    act();
    std::vector<ScalingActivity> out;
    for (const ScalingActivity& each : activities_)
        if (!since || *each.started >= *since) out.push_back(each);
    co_return out;
}

Task<void> InterleavedApi::set_desired_capacity(std::string, int desired) {
    const bool is_late = !is_taking_back && faults.late > Duration::zero();
    if (is_late) faults.hung = 1;
    const Fate fate = co_await begin_change();
    if (is_late)
        late_.push_back({.at = host_.monotonic() - hang_time + std::exchange(faults.late, {}),
                         .desired = desired,
                         .is_overtaken = was_set_by_another_ && desired <= group_.desired});
    // Another client may just have raised the desired capacity, and launches may have begun.
    if (has_window()) act();
    if (fate != Fate::without_effect) {
        group_.desired = desired;
        was_set_by_another_ = false;
    }
    end_change(fate);
}

Task<void> InterleavedApi::set_instance_protection(std::string, std::vector<std::string> ids,
                                                   bool is_protected) {
    if (protection_ != Protection::by_plugin) throw Failure(ErrorCode::permission, "not allowed");
    const Fate fate = co_await begin_change();
    for (const std::string& id : ids) {
        const AsgInstance* const there = find_instance(group_, id);
        if (there == nullptr || there->lifecycle_state != "InService")
            throw Failure(ErrorCode::invalid_argument, id + " is not in service");
    }
    for (AsgInstance& each : group_.instances)
        if (fate != Fate::without_effect && std::ranges::count(ids, each.id) > 0)
            each.is_protected = is_protected;
    end_change(fate);
}

Task<std::string> InterleavedApi::terminate_instance(std::string id, bool decrement) {
    const Fate fate = co_await begin_change();
    if (find_instance(group_, id) == nullptr) throw Failure(ErrorCode::not_found, "no " + id);
    if (fate != Fate::without_effect) {
        if (decrement) --group_.desired;
        end(id);
    }
    end_change(fate);
    co_return std::string();
}

InterleavedAws::InterleavedAws(Protection protection, std::uint64_t seed)
    : seconds_(seed % 2 == 0 ? 1 : 10),
      host_({.seed = seed}),
      client_(host_.host(), {.region = "eu-central-1"}, credentials_),
      api_(host_, client_, protection, seed),
      lists_(host_.host(), api_, {.names = {"web"}}),
      activities_(host_.host(), api_, {}, [this] { return host_.now(); }),
      changes_(host_.host(), {api_, lists_, activities_, limits_, [this] { return host_.now(); }},
               8) {
    host_.set_log_level(CAPSTAN_LOG_ERROR);
}

Task<CloudView> InterleavedAws::read() {
    const Time requested_at = changes_.moment();
    co_await lists_.update();
    changes_.observe(requested_at);
    std::ignore = co_await as_result(changes_.end_protection());
    const ListedGroup& listed = *lists_.find("web");
    if (listed.unreadable) throw Failure(*listed.unreadable);
    std::vector<FailedActivities::Size> sizes;
    sizes.push_back({.group = "web",
                     .members = listed.counts.members,
                     .desired = listed.group.desired,
                     .has_zones = listed.group.zones.size() > 1});
    co_await activities_.update(std::move(sizes));
    CloudView out;
    NodeGroup& group = out.groups.emplace_back();
    group.id = web_group;
    group.max = listed.group.max;
    group.target = settled_size(listed.group.desired, listed.counts.protected_members);
    out.target_lag = list_lag_max / seconds_;
    for (const AsgInstance& each : listed.group.instances)
        out.machines.push_back(
            {.id = MachineId(machine_id_of(each.zone, each.id)), .group = web_group});
    const Error* const failure = activities_.find("web");
    for (int n = listed.counts.members; n < listed.group.desired; ++n) {
        Machine& request = out.machines.emplace_back();
        request = {.id = MachineId(placeholder_of("web", n)), .group = web_group};
        request.state = MachineState::requested;
        if (failure != nullptr) request.error = *failure;
    }
    co_return out;
}

Result<CloudView> InterleavedAws::refresh() { return testing::run(host_, read()); }
Result<Resized> InterleavedAws::increase(const Resize& request) {
    return testing::run(host_, changes_.increase(request));
}
Result<Resized> InterleavedAws::decrease_target(const Resize& request) {
    api_.is_taking_back = true;
    auto out = testing::run(host_, changes_.decrease_target(request));
    api_.is_taking_back = false;
    return out;
}
Result<Removed> InterleavedAws::remove(const Removal& request) {
    return testing::run(host_, changes_.remove(request));
}

void InterleavedAws::set_faults(testing::CloudFaults faults) { api_.faults = std::move(faults); }

std::vector<MachineId> InterleavedAws::machines() const {
    std::vector<MachineId> out;
    for (const AsgInstance& each : api_.group().instances)
        out.emplace_back(machine_id_of(each.zone, each.id));
    return out;
}

int InterleavedAws::target() const {
    const InstanceCounts counts = count_instances(api_.group());
    return settled_size(api_.group().desired, counts.protected_members);
}

void InterleavedAws::set_target(int target) { api_.set_by_another(target); }

void InterleavedAws::advance(Duration by) {
    // AWS acts during this time as well.
    for (int n = 0; n < 4; ++n) {
        host_.advance(by * seconds_ / 4);
        api_.act();
    }
}

}  // namespace capstan::aws
