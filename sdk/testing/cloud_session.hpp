/// A cloud under test, called as a host calls it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include <capstan/abi/cloud.h>
#include <capstan/to_abi.hpp>

#include "check_subject.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

class CloudSession {
public:
    explicit CloudSession(Session& session)
        : session_(session), cloud_(session.table_as<capstan_cloud>()) {}

    FakeHost& host() noexcept { return session_.host(); }
    Session& session() noexcept { return session_; }

    /// Begun, not waited for.
    Operation<CloudView> begin_refresh(Duration allowed = std::chrono::minutes(1)) {
        return host().call<CloudView>(
            [&](capstan_op op) {
                return cloud_.refresh(cloud_.self, op, &asked_by_verify<capstan_refresh_request>);
            },
            allowed);
    }
    Operation<Resized> begin_increase(const capstan_resize& raw) {
        return host().call<Resized>(
            [&](capstan_op op) { return cloud_.increase(cloud_.self, op, &raw); });
    }

    // To the end.
    Result<CloudView> refresh() { return host().settle(begin_refresh()); }
    Result<Resized> increase(const Resize& resize) {
        const capstan_resize raw = crossing(resize);
        return host().settle(begin_increase(raw));
    }
    Result<Resized> decrease_target(const Resize& resize) {
        const capstan_resize raw = crossing(resize);
        return host().settle(host().call<Resized>(
            [&](capstan_op op) { return cloud_.decrease_target(cloud_.self, op, &raw); }));
    }
    Result<Removed> remove(const Removal& removal) {
        AbiArena arena;
        const capstan_removal raw = arena.to_abi(removal);
        return host().settle(host().call<Removed>(
            [&](capstan_op op) { return cloud_.remove(cloud_.self, op, &raw); }));
    }
    /// Only for a cloud that has templates.
    Result<NodeTemplate> describe(std::string_view group) {
        const auto& templates =
            *session_.instance().find<capstan_cloud_templates>(CAPSTAN_INTERFACE_TEMPLATES);
        return host().settle(host().call<NodeTemplate>([&](capstan_op op) {
            const capstan_describe_request request{sizeof request, CAPSTAN_CALL_VERIFY, str(group)};
            return templates.describe(templates.self, op, &request);
        }));
    }

    static capstan_resize crossing(const Resize& resize) { return AbiArena().to_abi(resize); }

private:
    Session& session_;
    const capstan_cloud& cloud_;
};

/// A check on a started cloud.
inline Outcome with_cloud(const Subject& subject,
                          const std::function<Outcome(CloudSession&)>& check) {
    return with_started(subject, [&](Session& session) {
        CloudSession cloud(session);
        return check(cloud);
    });
}

/// A check on a started cloud and what it reports; skipped when it has nothing to report here.
inline Outcome with_view(const Subject& subject,
                         const std::function<Outcome(CloudSession&, const CloudView&)>& check) {
    return with_cloud(subject, [&](CloudSession& cloud) {
        const Result<CloudView> view = cloud.refresh();
        if (!view)
            return skipped("the cloud cannot be read here: " + testing::describe(view.error()));
        if (view->groups.empty()) return skipped("the cloud has no group here");
        return check(cloud, *view);
    });
}

/// A healthy group whose sizes are known, with room for `room` more; or nullptr.
inline const NodeGroup* find_group_with_room(const CloudView& view, int room) {
    const auto at =
        std::find_if(view.groups.begin(), view.groups.end(), [room](const NodeGroup& g) {
            return g.target && g.max && g.healthy.value_or(true) && *g.max - *g.target >= room;
        });
    return at != view.groups.end() ? &*at : nullptr;
}

/// The target that the cloud shows now; absent: it cannot be read.
inline std::optional<int> target_of(CloudSession& cloud, const NodeGroupId& id) {
    const Result<CloudView> view = cloud.refresh();
    if (!view) return std::nullopt;
    const auto at = std::find_if(view->groups.begin(), view->groups.end(),
                                 [&](const NodeGroup& g) { return g.id == id; });
    return at != view->groups.end() ? at->target : std::nullopt;
}

/// An error of the way to the cloud, which tells nothing about what the cloud would refuse.
inline bool is_out_of_reach(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::unauthenticated ||
           error.code == ErrorCode::permission || error.code == ErrorCode::throttled;
}

void add_target_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_companion_checks(std::vector<Check>& checks, const SubjectPtr& subject);
void add_autoprovision_checks(std::vector<Check>& checks, const SubjectPtr& subject);

}  // namespace testing
CAPSTAN_NAMESPACE_END
