#include "reporter.hpp"

#include <utility>

#include <capstan/kube.hpp>
#include <capstan/sentence.hpp>

#include "conditions.hpp"
#include "status.hpp"

namespace capstan::replicas {
namespace {

std::string steps_text(const std::vector<Step>& steps, std::int64_t wanted) {
    std::string out;
    for (std::size_t i = 0; i < steps.size(); ++i)
        out += (i == 0 ? "" : ", ") + steps[i].name + " from " + std::to_string(steps[i].from) +
               " to " + std::to_string(steps[i].to);
    return out + " (" + counted(wanted, "replica") + " wanted)";
}

}  // namespace

Reporter::Reporter(const Host& host)
    : host_(host),
      wanted_(gauge(host, "wanted_replicas",
                    "Replicas that a Balancer distributes over its targets.",
                    {"namespace", "balancer"})),
      observed_(gauge(host, "observed_pods", "Pods that match a Balancer's selector.",
                      {"namespace", "balancer"})),
      missing_(gauge(host, "missing_replicas",
                     "Replicas above the wanted number, required by the targets' minimums.",
                     {"namespace", "balancer"})),
      overflow_(gauge(host, "overflow_replicas", "Wanted replicas that no target can take.",
                      {"namespace", "balancer"})),
      fallback_(gauge(host, "fallback_replicas",
                      "Replicas moved to other targets because pods do not start.",
                      {"namespace", "balancer"})),
      problems_(
          gauge(host, "problems", "Number of problems of a Balancer.", {"namespace", "balancer"})),
      writes_(counter(host, "scale_writes_total", "Writes of a target's Scale, by outcome.",
                      {"outcome"})) {}

void Reporter::record_event(const Balancer& about, bool is_warning, std::string_view reason,
                            std::string_view message) {
    const KubeReference reference{.api_version = "balancer.x-k8s.io/v1alpha1",
                                  .kind = "Balancer",
                                  .ns = about.ns,
                                  .name = about.name,
                                  .uid = about.uid};
    const Result<void> told = record(host_, reference, is_warning, reason, message);
    if (!told && std::exchange(warns_of_lost_events_, false)) host_.warn(told.error().message);
}

void Reporter::report(Entry& entry, const Decision& decision, const std::vector<Step>& done) {
    const Balancer& balancer = entry.balancer;
    if (!done.empty()) {
        const std::string what = steps_text(done, balancer.replicas);
        host_.info("balancer " + balancer.path() + ": scaled " + what);
        record_event(balancer, false, "Rescaled", "Scaled " + what);
    }
    report_fallback(entry, decision);
    report_problems(entry, decision);
    set_gauges(balancer, decision);
}

/// What an earlier process reported is read from the condition.
void Reporter::report_problems(Entry& entry, const Decision& decision) {
    const std::string now = problems_text(decision.problems);
    if (!entry.reported_problems) {
        const auto before = find_condition(entry.balancer.status, balancing);
        entry.reported_problems = before && !before->is_true ? before->message : std::string();
    }
    if (now == *entry.reported_problems) return;
    if (now.empty()) {
        record_event(entry.balancer, false, "Balanced", "All problems are resolved");
    } else {
        host_.warn("balancer " + entry.balancer.path() + ": " + now);
        record_event(entry.balancer, true, "UnableToBalance", now);
    }
    entry.reported_problems = now;
}

void Reporter::report_fallback(Entry& entry, const Decision& decision) {
    if (!entry.reported_fallback) {
        const auto before = find_condition(entry.balancer.status, fallen_back);
        entry.reported_fallback = before && before->is_true;
    }
    const bool is = decision.placement.fallback > 0;
    if (is == std::exchange(*entry.reported_fallback, is)) return;
    if (is) return record_event(entry.balancer, true, "FellBack", fallback_text(decision));
    record_event(entry.balancer, false, "Rebalanced", settled_text(decision));
}

void Reporter::set_gauges(const Balancer& balancer, const Decision& decision) {
    const auto set = [&](const Metric& metric, std::int64_t value) {
        metric.record(static_cast<double>(value), {balancer.ns, balancer.name});
    };
    set(wanted_, balancer.replicas);
    set(observed_, decision.observed);
    set(missing_, decision.placement.missing);
    set(overflow_, decision.placement.overflow);
    set(fallback_, decision.placement.fallback);
    set(problems_, static_cast<std::int64_t>(decision.problems.size()));
}

void Reporter::forget(const Entry& entry) {
    Balancer nothing{.ns = entry.balancer.ns, .name = entry.balancer.name};
    nothing.replicas = 0;
    set_gauges(nothing, {});
}

}  // namespace capstan::replicas
