// What holds for clouds: views that do not lie, resizes that keep to their bounds, operations that
// end.
#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <tuple>

#include <capstan/sentence.hpp>

#include "cloud_session.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

const NodeGroupId nowhere("no-such-group-7d1f");

/// A result that must be an error, and one that came in time.
std::string demand_error(std::string_view what, const std::optional<Error>& error) {
    if (!error) return std::string(what) + " succeeds";
    return error->code == ErrorCode::deadline ? std::string(what) + " does not end" : "";
}
template <class T>
std::optional<Error> error_of(const Result<T>& result) {
    return result ? std::nullopt : std::optional(result.error());
}

constexpr std::int64_t target_max = 100'000;

/// A target that no cloud can mean, which a host that plans for it pays for.
std::string size_fault(const CloudView& view, const NodeGroup& group) {
    if (!group.target) return {};
    const auto listed = std::count_if(view.machines.begin(), view.machines.end(),
                                      [&](const Machine& m) { return m.group == group.id; });
    if (*group.target <= listed) return {};
    const std::string says = "group " + group.id.value() + " has the target " +
                             std::to_string(*group.target) + " and " + counted(listed, "machine");
    if (group.max && *group.target > *group.max)
        return says + ", above its maximum of " + std::to_string(*group.max);
    return *group.target > target_max ? says + ": implausible target" : "";
}

std::vector<std::string> view_faults(const CloudView& view) {
    std::vector<std::string> faults;
    std::set<NodeGroupId> groups;
    for (const NodeGroup& group : view.groups) groups.insert(group.id);
    for (const Machine& machine : view.machines) {
        const bool is_of_none = machine.group.value().empty();
        if (is_of_none || groups.contains(machine.group) || !view.complete) continue;
        faults.push_back("machine " + machine.id.value() + " belongs to group " +
                         machine.group.value() + ", which is not listed");
    }
    if (view.complete && !view.unreadable.empty()) {
        faults.push_back("the view is marked complete, but " + view.unreadable.front().subject +
                         " could not be read");
    }
    for (const NodeGroup& group : view.groups) {
        const std::string fault = size_fault(view, group);
        if (!fault.empty()) faults.push_back(fault);
    }
    return faults;
}

Outcome check_refresh(const Subject& subject) {
    return with_cloud(subject, [](CloudSession& cloud) {
        for (const char* which : {"first", "second"}) {
            const Result<CloudView> view = cloud.refresh();
            if (!view && (view.error().code == ErrorCode::internal ||
                          view.error().code == ErrorCode::deadline)) {
                return failed(std::string(which) + " refresh: " + describe(view.error()));
            }
            if (!view) return skipped("the cloud cannot be read here: " + describe(view.error()));
            if (const auto faults = view_faults(*view); !faults.empty()) return judged(faults);
        }
        return judged(cloud.session().misuse());
    });
}

/// With the network down a cloud must say that it knows nothing, instead of reporting that there is
/// nothing.
Outcome check_honest(const Subject& subject) {
    return with_cloud(subject, [](CloudSession& cloud) {
        cloud.host().http().disconnect();
        const std::size_t before = cloud.host().http().requests().size();
        const Result<CloudView> view = cloud.refresh();
        if (cloud.host().http().requests().size() == before)
            return not_applicable("the cloud sent no request");
        if (!view || !view->complete) return passed();
        return failed("all requests failed, but the view is marked complete, with " +
                      std::to_string(view->groups.size()) + " groups");
    });
}

Outcome check_unknown_group(const Subject& subject) {
    return with_cloud(subject, [](CloudSession& cloud) {
        std::ignore = cloud.refresh();
        std::vector<std::string> faults;
        const Resize resize{.group = nowhere, .delta = 1, .idempotency_key = "unknown"};
        faults.push_back(
            demand_error("increase of an unknown group", error_of(cloud.increase(resize))));
        faults.push_back(demand_error("decrease_target of an unknown group",
                                      error_of(cloud.decrease_target(resize))));
        const Removal removal{.group = nowhere, .machines = {MachineId("machine")}};
        const Result<Removed> removed = cloud.remove(removal);
        if (!removed || removed->failed.empty()) {
            faults.push_back(demand_error("remove from an unknown group", error_of(removed)));
        }
        std::erase(faults, std::string());
        return judged(faults);
    });
}

Outcome check_maximum(const Subject& subject) {
    return with_view(subject, [](CloudSession& cloud, const CloudView& view) {
        const NodeGroup* const group = find_group_with_room(view, 0);
        if (group == nullptr) return not_applicable("no group has a target and a maximum");
        const Resize resize{.group = group->id,
                            .delta = *group->max - *group->target + 1,
                            .expected_target = *group->target,
                            .idempotency_key = "maximum"};
        const std::string name = "increase of " + group->id.value() + " above its maximum";
        const Result<Resized> grown = cloud.increase(resize);
        if (!grown && is_out_of_reach(grown.error()))
            return not_applicable("groups cannot be scaled up here: " + describe(grown.error()));
        const std::string complaint = demand_error(name, error_of(grown));
        if (!complaint.empty()) return failed(complaint);
        const std::optional<int> target = target_of(cloud, group->id);
        return target && *target > *group->max ? failed(name + " failed, but was carried out")
                                               : passed();
    });
}

Outcome check_idempotent(const Subject& subject) {
    return with_view(subject, [](CloudSession& cloud, const CloudView& view) {
        const NodeGroup* const group = find_group_with_room(view, 2);
        if (group == nullptr) return not_applicable("no group has room for two more machines");
        const Resize resize{.group = group->id,
                            .delta = 1,
                            .expected_target = *group->target,
                            .idempotency_key = "again"};
        const Result<Resized> first = cloud.increase(resize);
        if (!first)
            return not_applicable("groups cannot be scaled up here: " + describe(first.error()));
        const Result<Resized> second = cloud.increase(resize);
        const std::optional<int> target = target_of(cloud, group->id);
        const int expected = *group->target + 1;
        if (target && *target > expected) {
            return failed(
                "the same increase of " + group->id.value() +
                " by 1, sent twice with the same idempotency key, changed the target from " +
                std::to_string(*group->target) + " to " + std::to_string(*target));
        }
        if (first->target != expected) {
            return failed("increase of " + group->id.value() + " from " +
                          std::to_string(*group->target) + " by 1 returned the target " +
                          std::to_string(first->target));
        }
        return passed(second ? "" : "the second time: " + describe(second.error()));
    });
}

Outcome check_conflict(const Subject& subject) {
    return with_view(subject, [](CloudSession& cloud, const CloudView& view) {
        const NodeGroup* const group = find_group_with_room(view, 1);
        if (group == nullptr) return not_applicable("no group has room for another machine");
        const Resize stale{.group = group->id,
                           .delta = 1,
                           .expected_target = *group->target + 5,
                           .idempotency_key = "stale"};
        const Result<Resized> result = cloud.increase(stale);
        if (result)
            return failed("increase of " + group->id.value() +
                          " with an outdated expected target succeeds");
        if (is_out_of_reach(result.error()))
            return not_applicable("groups cannot be scaled up here: " + describe(result.error()));
        return passed(result.error().code == ErrorCode::conflict
                          ? ""
                          : "rejected: " + describe(result.error()));
    });
}

Outcome check_bad_requests(const Subject& subject) {
    return with_view(subject, [](CloudSession& cloud, const CloudView& view) {
        const NodeGroup& group = view.groups.front();
        const int target = group.target.value_or(0);
        std::vector<std::string> faults;
        for (const int delta :
             {0, -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
            const Resize resize{.group = group.id, .delta = delta, .expected_target = target};
            const std::string by = " by " + std::to_string(delta);
            if (delta != std::numeric_limits<int>::max() || group.max) {
                faults.push_back(demand_error("increase" + by, error_of(cloud.increase(resize))));
            }
            faults.push_back(
                demand_error("decrease_target" + by, error_of(cloud.decrease_target(resize))));
        }
        const Resize largest{.group = group.id,
                             .delta = std::numeric_limits<int>::max(),
                             .expected_target = std::numeric_limits<int>::max()};
        faults.push_back(demand_error("increase of the largest target by the largest number",
                                      error_of(cloud.increase(largest))));
        for (const char* id : {"", "\xff\xfe"}) {
            const Resize resize{.group = NodeGroupId(id), .delta = 1};
            faults.push_back(demand_error("increase of a group with an invalid name",
                                          error_of(cloud.increase(resize))));
        }
        const Result<Removed> removed =
            cloud.remove({.group = group.id, .machines = {MachineId("no-such-machine")}});
        if (!removed || removed->failed.empty()) {
            faults.push_back(demand_error("remove of an unknown machine", error_of(removed)));
        }
        std::erase(faults, std::string());
        return judged(faults);
    });
}

Outcome check_cancel(const Subject& subject) {
    return with_cloud(subject, [](CloudSession& cloud) {
        const bool can_be_read = cloud.refresh().has_value();
        const auto given_up = cloud.begin_refresh();
        if (!given_up.is_done()) cloud.host().cancel(given_up.id());
        const auto hopeless = cloud.begin_refresh(Duration::zero());
        cloud.host().settle(hopeless);
        if (!cloud.host().advance(std::chrono::minutes(5)))
            return failed("work is scheduled endlessly after a cancelled refresh");
        if (const auto misuse = cloud.session().misuse(); !misuse.empty())
            return failed(misuse.front());
        const Result<CloudView> after = cloud.refresh();
        return can_be_read && !after
                   ? failed("refresh after a cancelled one: " + describe(after.error()))
                   : passed();
    });
}

Outcome check_stop_while_busy(const Subject& subject) {
    return with_cloud(subject, [](CloudSession& cloud) {
        std::vector<Operation<CloudView>> open;
        for (int i = 0; i < 50; ++i) open.push_back(cloud.begin_refresh());
        const Result<void> stopped = cloud.session().instance().stop();
        if (!stopped) return failed("stop during 50 refreshes: " + describe(stopped.error()));
        if (cloud.host().open_operations() > 0) return failed("stop left operations open");
        return judged(cloud.session().misuse());
    });
}

Outcome check_prompt(const Subject& subject) {
    return with_cloud(subject, [&](CloudSession& cloud) {
        const auto began = std::chrono::steady_clock::now();
        const auto operation = cloud.begin_refresh();
        const Duration took = std::chrono::steady_clock::now() - began;
        cloud.host().settle(operation);
        return took > subject.options.call_deadline
                   ? failed("refresh blocks the strand: it returned after " + format_duration(took))
                   : passed();
    });
}

}  // namespace

void add_cloud_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    if (!subject->is(CAPSTAN_KIND_CLOUD)) return;
    add(checks, subject, "cloud/refresh", check_refresh);
    add(checks, subject, "cloud/honest", check_honest);
    add(checks, subject, "cloud/prompt", check_prompt);
    add(checks, subject, "cloud/unknown_group", check_unknown_group);
    add(checks, subject, "cloud/maximum", check_maximum);
    add(checks, subject, "cloud/idempotent", check_idempotent);
    add(checks, subject, "cloud/conflict", check_conflict);
    add(checks, subject, "cloud/bad_requests", check_bad_requests);
    add(checks, subject, "cloud/cancel", check_cancel);
    add(checks, subject, "cloud/stop_while_busy", check_stop_while_busy);
    add_target_checks(checks, subject);
    add_companion_checks(checks, subject);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
