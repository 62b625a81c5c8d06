#include "balancer.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/selector_text.hpp>
#include <capstan/sentence.hpp>

namespace capstan::replicas {
namespace {

std::int64_t count_at(const Json& object, std::initializer_list<std::string_view> path,
                      std::int64_t otherwise) {
    const Json* value = object.find(path);
    const auto number = value != nullptr ? value->integer() : std::nullopt;
    return number ? std::clamp<std::int64_t>(*number, 0, unlimited) : otherwise;
}

class Reader {
public:
    explicit Reader(const Json& object) : object_(object) {}

    Balancer read() {
        out_.ns = object_.text_at({"metadata", "namespace"});
        out_.name = object_.text_at({"metadata", "name"});
        out_.uid = object_.text_at({"metadata", "uid"});
        out_.created = object_.text_at({"metadata", "creationTimestamp"});
        out_.generation = count_at(object_, {"metadata", "generation"}, 0);
        out_.replicas = count_at(object_, {"spec", "replicas"}, 1);
        if (const Json* status = object_.find("status")) out_.status = *status;
        read_targets();
        read_selector();
        read_policy();
        read_fallback();
        refuse_unlimited();
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
                              .name = json.text_at({"scaleTargetRef", "name"})},
                      .min = count_at(json, {"minReplicas"}, 0),
                      .max = count_at(json, {"maxReplicas"}, unlimited)};
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
        if (target.min > target.max)
            complain(Phase::spec, label + ": minReplicas " + std::to_string(target.min) +
                                      " is above maxReplicas " + std::to_string(target.max) +
                                      "; the minimum applies");
        out_.targets.push_back(std::move(target));
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
            const std::int64_t number = weight.integer().value_or(0);
            if (number < 0)
                complain(Phase::spec, "targetProportions: " + in_quotes(name) +
                                          " has the negative value " + std::to_string(number) +
                                          "; 0 is used");
            out_.weights[name] = std::clamp<std::int64_t>(number, 0, unlimited);
            is_any = is_any || number > 0;
        }
        if (!is_any)
            return complain(Phase::spec,
                            "targetProportions are all 0, so no target can take a replica");
        out_.policy = Policy::proportional;
    }

    /// `unlimited` stands for "no maximum" elsewhere, so it cannot be a number of replicas.
    void refuse_unlimited() {
        if (out_.replicas < unlimited) return;
        out_.policy.reset();
        complain(Phase::spec, "replicas: must be below " + std::to_string(unlimited));
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
        if (fallback->find("startupTimeoutSeconds") != nullptr)
            out_.startup_timeout =
                std::chrono::seconds(count_at(*fallback, {"startupTimeoutSeconds"}, 0));
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
