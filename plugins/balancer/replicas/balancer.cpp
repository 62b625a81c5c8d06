#include "balancer.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/selector_text.hpp>
#include <capstan/sentence.hpp>

namespace capstan::replicas {
namespace {

/// A number that is not negative; absent: the value is not one. Cut off at `unlimited`.
std::optional<std::int64_t> read_count(const Json& value) {
    const std::optional<std::int64_t> number = value.integer();
    if (!number || *number < 0) return std::nullopt;
    return std::min(*number, unlimited);
}

/// NULL: the member is absent or null.
const Json* find_value(const Json& object, std::initializer_list<std::string_view> path) {
    const Json* const value = object.find(path);
    return value != nullptr && !value->is_null() ? value : nullptr;
}

class Reader {
public:
    explicit Reader(const Json& object) : object_(object) {}

    Balancer read() {
        out_.ns = object_.text_at({"metadata", "namespace"});
        out_.name = object_.text_at({"metadata", "name"});
        out_.uid = object_.text_at({"metadata", "uid"});
        out_.created = object_.text_at({"metadata", "creationTimestamp"});
        if (const Json* generation = object_.find({"metadata", "generation"}))
            out_.generation = read_count(*generation).value_or(0);
        if (const Json* status = object_.find("status")) out_.status = *status;
        read_targets();
        read_selector();
        read_policy();
        read_fallback();
        read_replicas();
        return std::move(out_);
    }

private:
    void complain(Phase phase, std::string message) {
        out_.problems.push_back({phase, std::move(message)});
    }

    void read_targets() {
        const Json* targets = object_.find({"spec", "targets"});
        if (targets == nullptr) return;
        for (const Json& each : targets->items()) read_target(each);
    }
    /// Of several targets with one name, or with one object, the first is kept: two would scale the
    /// object back and forth.
    void read_target(const Json& json) {
        Target target{.name = json.text_at({"name"}),
                      .ref = {.api_version = json.text_at({"scaleTargetRef", "apiVersion"}),
                              .kind = json.text_at({"scaleTargetRef", "kind"}),
                              .name = json.text_at({"scaleTargetRef", "name"})}};
        const std::string label = "target " + target.name;
        for (const Target& other : out_.targets) {
            if (other.name == target.name)
                return complain(Phase::spec, label + " is a duplicate; the second one is ignored");
            if (is_same_object(other.ref, target.ref))
                return complain(Phase::spec, label + " is ignored: " + target.ref.kind + " " +
                                                 target.ref.name + " is target " + other.name);
        }
        if (is_same_object(target.ref, {"balancer.x-k8s.io/", "Balancer", out_.name}))
            return complain(Phase::spec, label + " is ignored: it is the Balancer itself");
        target.min = read_bound(json, "minReplicas", label).value_or(0);
        target.max = read_bound(json, "maxReplicas", label).value_or(unlimited);
        if (target.min > target.max)
            complain(Phase::spec, label + ": minReplicas " + std::to_string(target.min) +
                                      " is above maxReplicas " + std::to_string(target.max) +
                                      "; the minimum applies");
        out_.targets.push_back(std::move(target));
    }

    std::optional<std::int64_t> read_bound(const Json& target, std::string_view key,
                                           const std::string& label) {
        const Json* const value = find_value(target, {key});
        if (value == nullptr) return std::nullopt;
        const std::optional<std::int64_t> bound = read_count(*value);
        if (!bound)
            complain(Phase::spec, label + ": " + std::string(key) + " " + to_string(*value) +
                                      " is not a number of at least 0; it is ignored");
        return bound;
    }

    void read_selector() {
        const Json* selector = object_.find({"spec", "selector"});
        auto read = read_label_selector(selector != nullptr ? *selector : Json());
        if (!read)
            return complain(Phase::pod_labels, "incorrect selector: " + read.error().message);
        if (*read == LabelSelector())
            return complain(Phase::spec,
                            "the selector is empty and would match every pod of the namespace");
        out_.selector = *std::move(read);
    }

    void read_policy() {
        const std::string& name = object_.text_at({"spec", "policy", "policyName"});
        if (name == "priority") {
            read_priorities();
        } else if (name == "proportional") {
            read_proportions();
        } else {
            complain(Phase::policy, "policy not supported: " + in_quotes(name));
        }
    }
    const Json* demand(std::string_view block, std::string_view member) {
        const Json* found = object_.find({"spec", "policy", block, member});
        const bool has_block = object_.find({"spec", "policy", block}) != nullptr;
        if (found == nullptr)
            complain(Phase::policy, "incomplete policy definition: missing " +
                                        std::string(has_block ? member : block));
        return found;
    }
    void check_names_target(const std::string& name, std::string_view where) {
        if (std::ranges::find(out_.targets, name, &Target::name) == out_.targets.end())
            complain(Phase::spec,
                     std::string(where) + " lists " + in_quotes(name) + ", which is not a target");
    }
    void read_priorities() {
        const Json* order = demand("priorities", "targetOrder");
        if (order == nullptr) return;
        std::set<std::string> seen, twice;
        for (const Json& each : order->items()) {
            const std::string& name = each.text();
            if (!seen.insert(name).second) {
                if (twice.insert(name).second)
                    complain(Phase::spec, "targetOrder lists " + in_quotes(name) +
                                              " more than once; the first position applies");
                continue;
            }
            check_names_target(name, "targetOrder");
            out_.order.push_back(name);
        }
        out_.policy = Policy::priority;
    }
    void read_proportions() {
        const Json* weights = demand("proportions", "targetProportions");
        if (weights == nullptr) return;
        bool is_any = false;
        for (const auto& [name, weight] : weights->members()) {
            check_names_target(name, "targetProportions");
            const std::optional<std::int64_t> number = read_count(weight);
            if (!number)
                complain(Phase::spec,
                         "targetProportions: " + in_quotes(name) + " has the " +
                             (weight.integer() ? "negative value " : "invalid value ") +
                             to_string(weight) + "; 0 is used");
            out_.weights[name] = number.value_or(0);
            is_any = is_any || number.value_or(0) > 0;
        }
        if (!is_any)
            return complain(Phase::spec,
                            "targetProportions are all 0, so no target can take a replica");
        out_.policy = Policy::proportional;
    }

    /// Without a valid number nothing is placed. `unlimited` stands for "no maximum" elsewhere, so
    /// it cannot be a number of replicas.
    void read_replicas() {
        const Json* const given = find_value(object_, {"spec", "replicas"});
        if (given == nullptr) return;
        const std::optional<std::int64_t> number = read_count(*given);
        out_.replicas = number.value_or(0);
        if (number && *number < unlimited) return;
        out_.policy.reset();
        complain(Phase::spec,
                 number ? "replicas: must be below " + std::to_string(unlimited)
                        : "replicas: must be a number of at least 0, not " + to_string(*given));
    }

    /// Reads startupTimeout, which the proposal has, or else upstream's startupTimeoutSeconds.
    void read_fallback() {
        const Json* fallback = object_.find({"spec", "policy", "fallback"});
        if (fallback == nullptr || !fallback->is_object()) return;
        const std::string& text = fallback->text_at({"startupTimeout"});
        if (!text.empty()) {
            const Result<Duration> timeout = parse_duration(text);
            if (timeout && *timeout >= Duration::zero()) {
                out_.startup_timeout = *timeout;
                return;
            }
            complain(Phase::spec, "startupTimeout: " + (timeout ? in_quotes(text) + " is negative"
                                                                : timeout.error().message));
        }
        const Json* const seconds = find_value(*fallback, {"startupTimeoutSeconds"});
        if (seconds == nullptr) return;
        const std::optional<std::int64_t> number = read_count(*seconds);
        if (number) {
            out_.startup_timeout = std::chrono::seconds(*number);
        } else {
            complain(Phase::spec, "startupTimeoutSeconds: must be a number of at least 0, not " +
                                      to_string(*seconds));
        }
    }

    const Json& object_;
    Balancer out_;
};

}  // namespace

std::string_view group_of(const ScaleRef& ref) noexcept {
    const std::size_t slash = ref.api_version.find('/');
    return slash == std::string::npos ? std::string_view()
                                      : std::string_view(ref.api_version).substr(0, slash);
}

bool is_same_object(const ScaleRef& a, const ScaleRef& b) noexcept {
    return a.kind == b.kind && a.name == b.name && group_of(a) == group_of(b);
}

Balancer read_balancer(const Json& object) { return Reader(object).read(); }

}  // namespace capstan::replicas
