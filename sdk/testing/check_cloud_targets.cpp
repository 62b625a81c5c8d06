// What a cloud has answered counts, however late its lists show it.
#include <chrono>

#include "cloud_session.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr auto provisioning_time = std::chrono::minutes(15);
constexpr auto between_refreshes = std::chrono::seconds(30);

/// A group that has grown by one, as the host would go on with it.
struct Grown {
    NodeGroupId group;
    int before = 0;    ///< its target in the view that the increase was decided on
    int answered = 0;  ///< what `increase` answered
};

/// A check on a group of a started cloud that grows by one and has room for one more.
Outcome with_growth(const Subject& subject,
                    const std::function<Outcome(CloudSession&, const Grown&)>& check) {
    return with_view(subject, [&](CloudSession& cloud, const CloudView& view) {
        const NodeGroup* const group = find_group_with_room(view, 2);
        if (group == nullptr) return not_applicable("no group has room for two more machines");
        const Resize resize{.group = group->id,
                            .delta = 1,
                            .expected_target = *group->target,
                            .idempotency_key = "first"};
        const Result<Resized> grown = cloud.increase(resize);
        if (!grown)
            return not_applicable("groups cannot be scaled up here: " + describe(grown.error()));
        return check(cloud, {group->id, *group->target, grown->target});
    });
}

/// The list may lag behind the answer; the next increase is decided on the answer, and tells both
/// targets.
Outcome check_answered_target(const Subject& subject) {
    return with_growth(subject, [](CloudSession& cloud, const Grown& grown) {
        const std::optional<int> listed = target_of(cloud, grown.group);
        const std::string increase = "increase of " + grown.group.value();
        const std::string answered =
            "the previous increase returned the target " + std::to_string(grown.answered);
        const auto decided_on = [&](int target, int seen, const char* key) {
            return cloud.increase({.group = grown.group,
                                   .delta = 1,
                                   .expected_target = target,
                                   .idempotency_key = key,
                                   .listed_target = seen});
        };
        // A plugin that reads a list that lags cannot tell that this decision is an old one.
        const bool is_seen = listed == grown.answered;
        if (is_seen && decided_on(grown.before, grown.before, "stale"))
            return failed(increase + " with expected target " + std::to_string(grown.before) +
                          " succeeds, although " + answered);
        const Result<Resized> next =
            decided_on(grown.answered, listed.value_or(grown.answered), "next");
        if (next || is_out_of_reach(next.error())) return passed();
        const bool is_refused = next.error().code == ErrorCode::conflict ||
                                next.error().code == ErrorCode::invalid_argument;
        return is_refused
                   ? failed(increase + " with expected target " + std::to_string(grown.answered) +
                            " is rejected, although " + answered + ": " + describe(next.error()))
                   : passed("the second one: " + describe(next.error()));
    });
}

/// A cloud that cannot promise all or nothing says so, and does not make a part.
Outcome check_all_or_nothing(const Subject& subject) {
    return with_view(subject, [&](CloudSession& cloud, const CloudView& view) {
        const NodeGroup* const group = find_group_with_room(view, 2);
        if (group == nullptr) return not_applicable("no group has room for two more machines");
        const Result<Resized> grown = cloud.increase({.group = group->id,
                                                      .delta = 2,
                                                      .expected_target = *group->target,
                                                      .all_or_nothing = true,
                                                      .idempotency_key = "all"});
        if (!grown) return passed(describe(grown.error()));
        if (!grown->shortfall && grown->target == *group->target + 2) return passed();
        return failed("increase of " + group->id.value() +
                      " by 2, all or nothing, returned the target " +
                      std::to_string(grown->target) + " from " + std::to_string(*group->target));
    });
}

/// A cloud that cannot replace machines says so, and removes nothing.
Outcome check_keep_target(const Subject& subject) {
    return with_view(subject, [](CloudSession& cloud, const CloudView& view) {
        const auto known = std::find_if(view.machines.begin(), view.machines.end(),
                                        [](const Machine& m) { return !m.group.value().empty(); });
        if (known == view.machines.end()) return not_applicable("no group has a machine here");
        const std::optional<int> before = target_of(cloud, known->group);
        const Result<Removed> removed = cloud.remove({.group = known->group,
                                                      .machines = {known->id},
                                                      .idempotency_key = "replace",
                                                      .keep_target = true});
        const std::optional<int> after = target_of(cloud, known->group);
        if (before && after && *after < *before)
            return failed("remove of " + known->id.value() +
                          " with keep_target lowered the target from " + std::to_string(*before) +
                          " to " + std::to_string(*after));
        return passed(removed ? "" : describe(removed.error()));
    });
}

/// Whether the view tells that machines of the group could not be had.
bool tells_failure(const CloudView& view, const NodeGroupId& group) {
    const auto is_of_group = [&](const Machine& m) { return m.group == group && m.error; };
    return std::any_of(view.machines.begin(), view.machines.end(), is_of_group) ||
           std::any_of(view.unreadable.begin(), view.unreadable.end(),
                       [&](const Error& e) { return e.subject == group.value(); });
}

/// A target that was answered is seen while a machine may take to join, or an error is.
Outcome check_target_moves(const Subject& subject) {
    return with_growth(subject, [](CloudSession& cloud, const Grown& grown) {
        std::optional<int> seen;
        for (Duration waited{}; waited <= provisioning_time; waited += between_refreshes) {
            seen = target_of(cloud, grown.group);
            if (seen && *seen >= grown.answered)
                return passed(waited > Duration::zero() ? "listed after " + format_duration(waited)
                                                        : "");
            cloud.host().advance(between_refreshes);
        }
        const Result<CloudView> view = cloud.refresh();
        if (!view) return skipped("the cloud cannot be read here: " + describe(view.error()));
        if (tells_failure(*view, grown.group))
            return passed("the cloud could not provide the machine");
        return failed("increase of " + grown.group.value() + " returned the target " +
                      std::to_string(grown.answered) + ", but " +
                      format_duration(provisioning_time) + " later the view shows " +
                      (seen ? std::to_string(*seen) : "none"));
    });
}

}  // namespace

void add_target_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "cloud/answered_target", check_answered_target);
    add(checks, subject, "cloud/target_moves", check_target_moves);
    add(checks, subject, "cloud/all_or_nothing", check_all_or_nothing);
    add(checks, subject, "cloud/keep_target", check_keep_target);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
