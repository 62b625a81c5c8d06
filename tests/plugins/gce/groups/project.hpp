/// A project with groups, and the GCE cloud of Capstan on it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/run_task.hpp>

#include "fake_gce.hpp"
#include "gce_cloud.hpp"

namespace capstan::gce {

inline const NodeGroupId web("p/us-central1-a/web");
inline const std::string web_key = "us-central1-a/web";

struct Project {
    testing::FakeHost host{};
    FakeGce gce{host};
    GceConfig config{.project = "p",
                     .discovery = {{.name_prefix = "[a-z]", .min = 0, .max = 10}},
                     .credentials = {.anonymous = true}};
    std::unique_ptr<GceCloud> made{};
    std::map<NodeGroupId, int> listed{};  ///< targets in the last view

    // Waiting coroutines end before the cloud does.
    ~Project() { std::ignore = host.stop(); }

    FakeMig& add(const std::string& name, int size = 0) {
        return gce.add("us-central1-a/" + name, size);
    }
    /// A regional group in three zones.
    FakeMig& add_regional(const std::string& name, const std::string& shape, int size = 0) {
        FakeMig& group = gce.groups["us-central1/" + name];
        group.zones = {"us-central1-a", "us-central1-b", "us-central1-c"};
        group.shape = shape;
        return gce.add("us-central1/" + name, size);
    }
    FakeMig& group() { return gce.groups.at(web_key); }
    GceCloud& cloud() {
        if (made) return *made;
        made = std::make_unique<GceCloud>(host.host(), config);
        const auto started = testing::run(host, made->start());
        if (!started) throw Failure(started.error());
        return *made;
    }
    Result<CloudView> refresh(const RefreshRequest& request = {}) {
        auto view = testing::run(host, cloud().refresh(request));
        if (!view) return fail(view.error());
        for (const NodeGroup& each : (*view)->groups) listed[each.id] = each.target.value_or(0);
        return **view;
    }
    /// Refreshes `by` later.
    Result<CloudView> next(Duration by = std::chrono::seconds(10)) {
        host.advance(by);
        return refresh();
    }
    Result<Resized> increase(int by, int expected, std::string key = {},
                             const NodeGroupId& of = web) {
        const Resize request{.group = of,
                             .delta = by,
                             .expected_target = expected,
                             .idempotency_key = std::move(key),
                             .listed_target = listed[of]};
        return testing::run(host, cloud().increase(request));
    }
    Result<Resized> decrease(int by, int expected) {
        const Resize request{
            .group = web, .delta = by, .expected_target = expected, .listed_target = listed[web]};
        return testing::run(host, cloud().decrease_target(request));
    }
    Result<Removed> remove(const std::vector<std::string>& machines, bool force = false,
                           const NodeGroupId& of = web, bool keep_target = false) {
        Removal request{.group = of, .force = force, .keep_target = keep_target};
        for (const std::string& machine : machines) request.machines.emplace_back(machine);
        return testing::run(host, cloud().remove(request));
    }
    Result<NodeTemplate> describe(const NodeGroupId& of = web) {
        return testing::run(host, cloud().describe(of));
    }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        for (const auto& line : host.log_lines())
            if (line.level == CAPSTAN_LOG_WARN) out.push_back(line.message);
        return out;
    }
};

inline std::string id_of(const std::string& instance, const std::string& zone = "us-central1-a") {
    return "gce://p/" + zone + "/" + instance;
}
inline std::string id_of(const FakeVm& vm) { return id_of(vm.name, vm.zone); }

/// "running", "creating", ... in the view's order.
inline std::vector<std::string> states(const CloudView& view) {
    std::vector<std::string> out;
    for (const Machine& machine : view.machines) out.emplace_back(name_of(machine.state));
    return out;
}

inline std::vector<std::string> names(const CloudView& view) {
    std::vector<std::string> out;
    for (const NodeGroup& group : view.groups) out.push_back(group.id.value());
    return out;
}

inline const Machine& machine(const CloudView& view, const std::string& id) {
    const auto at = std::find_if(view.machines.begin(), view.machines.end(),
                                 [&](const Machine& m) { return m.id.value() == id; });
    if (at == view.machines.end()) throw Failure(ErrorCode::not_found, "no machine " + id);
    return *at;
}

}  // namespace capstan::gce
