#include "simulator/live/scenario_player.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/json/serialize.hpp>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "simulator/live/live_cloud.hpp"

namespace capstan::simulator::live {
namespace {

/// Between two checks of whether the cluster is at rest.
constexpr Duration rest_check_interval = std::chrono::milliseconds(500);
constexpr Duration no_time{0};

}  // namespace

ScenarioPlayer::ScenarioPlayer(api_server::ObjectStore& store, const Input& input, Options options)
    : store_(store), input_(input), options_(std::move(options)), rest_(options_.quiet_period) {}

ScenarioPlayer::~ScenarioPlayer() {
    if (timer_) store_.loop().cancel(*timer_);
}

void ScenarioPlayer::after(Duration real, std::function<void()> then) {
    timer_ = store_.loop().after(real, [this, then = std::move(then)] {
        timer_.reset();
        then();
    });
}

void ScenarioPlayer::fill() {
    const auto put = [&](const auto& what) {
        if (const auto done = carry_out(what); !done)
            options_.report({"note", "", done.error().message});
    };
    for (const engine::snapshot::NodeObject& node : input_.objects.nodes) put(node);
    for (const Budget& budget : input_.budgets) put(budget);
    const auto add = [&](const auto& objects) {
        for (const auto& object : objects) {
            if (const auto made = create(make_manifest(object)); !made)
                options_.report({"note", object.name, made.error().message});
        }
    };
    add(input_.objects.daemon_sets);
    for (const engine::snapshot::DaemonSetObject& set : input_.objects.daemon_sets)
        batches_[set.name] = {make_manifest(set).resource, set.ns};
    add(input_.objects.services);
}

void ScenarioPlayer::start() {
    started_ = store_.loop().monotonic();
    begin_step();
    add_balancers();
}

/// Called after the first step has begun, because that step creates the targets of the Balancers.
void ScenarioPlayer::add_balancers() {
    for (const SharedReplicas& shared : options_.balancers) {
        const auto done = carry_out(shared);
        options_.report(
            {done ? "scenario" : "note", shared.name, done ? *done : done.error().message});
    }
}

void ScenarioPlayer::begin_step() {
    if (step_ == input_.steps.size()) {
        options_.report({"scenario", "", "the scenario has ended; the cluster is still running"});
        return options_.over(unmet_);
    }
    act(input_.steps[step_], 0);
}

/// Carries out the actions from `next` on, each at its own time.
void ScenarioPlayer::act(const Step& step, std::size_t next) {
    for (; next < step.actions.size(); ++next) {
        const Action& action = step.actions[next];
        const Duration before = next == 0 ? no_time : step.actions[next - 1].after;
        if (action.after > before) {
            return after(sped_up(action.after - before, options_.speed), [this, &step, next] {
                apply(step.actions[next]);
                act(step, next + 1);
            });
        }
        apply(action);
    }
    wait_for_end(step);
}

void ScenarioPlayer::wait_for_end(const Step& step) {
    if (step.advance) {
        const Duration acted = step.actions.empty() ? no_time : step.actions.back().after;
        return after(sped_up(std::max(*step.advance - acted, no_time), options_.speed),
                     [this] { end_step(); });
    }
    const Duration now = store_.loop().monotonic();
    const Duration within = step.until_command ? step.until_command->within : UntilCommand{}.within;
    rest_.begin(now);
    await_rest(now + sped_up(within, options_.speed) + options_.quiet_period);
}

void ScenarioPlayer::await_rest(Duration deadline) {
    const Duration now = store_.loop().monotonic();
    if (rest_.is_at_rest(store_, now) || now >= deadline) return end_step();
    after(rest_check_interval, [this, deadline] { await_rest(deadline); });
}

void ScenarioPlayer::end_step() {
    check_expectations(input_.steps[step_]);
    ++step_;
    begin_step();
}

void ScenarioPlayer::add_unmet(const std::string& what) {
    ++unmet_;
    options_.report({"unmet", "", "expectation not met: " + what});
}

void ScenarioPlayer::check_expectations(const Step& step) {
    const Expectations& expect = step.expect;
    const ClusterFigures found = figures_of(store_);
    if (expect.pending && *expect.pending != found.pending) {
        add_unmet("pending pods: expected " + std::to_string(*expect.pending) + ", found " +
                  std::to_string(found.pending));
    }
    for (const auto& [group, count] : expect.nodes) {
        const auto at = found.nodes.find(group);
        const int actual = at == found.nodes.end() ? 0 : at->second;
        if (actual != count)
            add_unmet("nodes of " + group + ": expected " + std::to_string(count) + ", found " +
                      std::to_string(actual));
    }
    for (const std::string& node : expect.present)
        if (!found.node_states.contains(node)) add_unmet("node " + node + " does not exist");
    for (const std::string& node : expect.absent)
        if (found.node_states.contains(node)) add_unmet("node " + node + " exists");
}

void ScenarioPlayer::apply(const Action& action) {
    const auto done = std::visit(
        [&]<class What>(const What& what) -> Result<std::string> {
            if constexpr (requires { carry_out(what); }) {
                return carry_out(what);
            } else if constexpr (std::is_same_v<What, Reload>) {
                return std::string();  // a warning says so
            } else {
                CAPSTAN_CHECK(options_.change_cloud(what, store_.loop().monotonic() - started_));
                return std::string("the cloud is changed");
            }
        },
        action.what);
    if (!done) return options_.report({"note", "", "action failed: " + done.error().message});
    if (!done->empty()) options_.report({"scenario", "", *done});
}

namespace {

/// The group in a node's providerID: "web" of "simulated://web/3". Empty: the node has none.
std::string group_of(const json::object& node) {
    constexpr std::string_view scheme = "simulated://";
    const std::string_view id = api_server::text_at(node, "spec.providerID");
    const std::size_t slash = id.rfind('/');
    if (!id.starts_with(scheme) || slash < scheme.size()) return "";
    return std::string(id.substr(scheme.size(), slash - scheme.size()));
}

std::string state_of_node(const json::object& node) {
    std::string out = api_server::is_true_at(node, "spec.unschedulable") ? "cordoned" : "";
    if (const json::array* const taints = api_server::find_array(node, "spec.taints"))
        out += json::serialize(*taints);
    const json::array* const conditions = api_server::find_array(node, "status.conditions");
    if (conditions == nullptr) return out;
    for (const json::value& condition : *conditions) {
        if (condition.is_object() && api_server::text_at(condition.get_object(), "type") == "Ready")
            out += api_server::text_at(condition.get_object(), "status");
    }
    return out;
}

}  // namespace

ClusterFigures figures_of(const api_server::ObjectStore& store) {
    ClusterFigures out;
    for (const api_server::ApiObject& node : store.list(store.kind("nodes")).items) {
        ++out.nodes[group_of(*node)];
        out.node_states[std::string(api_server::name_of(*node))] = state_of_node(*node);
    }
    for (const api_server::ApiObject& pod : store.list(store.kind("pods")).items) {
        const std::string_view phase = api_server::text_at(*pod, "status.phase");
        if (phase == "Succeeded" || phase == "Failed") continue;
        if (api_server::text_at(*pod, "spec.nodeName").empty()) ++out.pending;
        // Pods of a deleted node are left out, so that rest does not wait for pod garbage
        // collection.
        const bool has_node =
            out.node_states.contains(std::string(api_server::text_at(*pod, "spec.nodeName")));
        if (has_node && api_server::find_value(*pod, "metadata.deletionTimestamp") != nullptr)
            ++out.ending;
    }
    return out;
}

bool QuiescenceWatch::is_at_rest(const api_server::ObjectStore& store, Duration now) {
    ClusterFigures figures = figures_of(store);
    if (figures != last_ || figures.ending > 0) {
        last_ = std::move(figures);
        since_ = now;
    }
    return now - since_ >= quiet_period_;
}

}  // namespace capstan::simulator::live
