/// An AWS account with groups, and the AWS cloud of Capstan on it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/run_task.hpp>

#include "aws_cloud.hpp"
#include "fake_aws.hpp"

namespace capstan::aws {

inline const NodeGroupId web("web");

struct Account {
    testing::FakeHost host{};
    FakeAws aws{host};
    AwsConfig config{.region = "eu-central-1",
                     .discovery = {{{.key = "cluster", .value = "prod"}}},
                     .credentials = {.access_key_id = "AKIA", .secret_access_key = "key"}};
    std::unique_ptr<AwsCloud> made{};

    Account() { host.secrets()["key"] = "secret"; }
    // Waiting coroutines end before the cloud does.
    ~Account() { std::ignore = host.stop(); }

    FakeGroup& add(const std::string& name, int desired = 0) {
        FakeGroup& group = aws.groups[name];
        group.tags["cluster"] = "prod";
        group.desired = desired;
        aws.launch(name);
        return group;
    }
    AwsCloud& cloud() {
        if (made) return *made;
        made = std::make_unique<AwsCloud>(host.host(), config);
        const auto started = testing::run(host, made->start());
        if (!started) throw Failure(started.error());
        return *made;
    }
    /// A new process on the same account.
    void restart() {
        std::ignore = host.stop();
        made.reset();
        host.restart();
    }
    Result<CloudView> refresh(const RefreshRequest& request = {}) {
        auto view = testing::run(host, cloud().refresh(request));
        if (!view) return fail(view.error());
        return **view;
    }
    /// Refreshes `by` later.
    Result<CloudView> next(Duration by = std::chrono::seconds(10)) {
        host.advance(by);
        return refresh();
    }
    /// `listed`: the target on which the decision is based; negative: the expected target.
    Result<Resized> increase(int by, int expected, std::string key = {}, int listed = -1) {
        return testing::run(host, cloud().increase({.group = web,
                                                    .delta = by,
                                                    .expected_target = expected,
                                                    .idempotency_key = std::move(key),
                                                    .listed_target = listed}));
    }
    Result<Resized> decrease(int by, int expected, int listed = -1) {
        return testing::run(
            host,
            cloud().decrease_target(
                {.group = web, .delta = by, .expected_target = expected, .listed_target = listed}));
    }
    Result<Removed> remove(const std::vector<std::string>& machines, bool force = false,
                           bool keep_target = false) {
        Removal request{.group = web, .force = force, .keep_target = keep_target};
        for (const std::string& machine : machines) request.machines.emplace_back(machine);
        return testing::run(host, cloud().remove(request));
    }
    std::vector<std::string> warnings() const {
        std::vector<std::string> out;
        for (const auto& line : host.log_lines())
            if (line.level == CAPSTAN_LOG_WARN) out.push_back(line.message);
        return out;
    }
};

inline std::string id_of(const std::string& instance) { return "aws:///eu-central-1a/" + instance; }

/// "aws:///eu-central-1a/i-1 running", in the view's order.
inline std::vector<std::string> states(const CloudView& view) {
    std::vector<std::string> out;
    for (const Machine& machine : view.machines)
        out.push_back(machine.id.value() + " " + std::string(name_of(machine.state)));
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

}  // namespace capstan::aws
