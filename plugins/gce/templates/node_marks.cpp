#include "node_marks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <capstan/label_syntax.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>
#include <capstan/taint_text.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::gce {
namespace {

constexpr std::string_view resource_label_prefix = "clusterautoscaler-nodetemplate-resources.";

/// The variable for autoscalers, or the one of kube-env itself; empty: neither.
std::string marks_text(const KubeEnv& env, std::string_view variable, std::string_view fallback,
                       std::vector<std::string>& warnings) {
    Result<std::optional<std::string>> out = env.find_autoscaler_variable(variable);
    if (!out) warnings.push_back("kube-env: " + out.error().message);
    if (out && *out) return **out;
    return env.find(fallback).value_or("");
}

PairList marks_of(const std::string& text, std::string_view variable,
                  std::vector<std::string>& warnings) {
    Result<PairList> all = parse_pairs(text);
    if (all) return *std::move(all);
    warnings.push_back("kube-env, " + std::string(variable) + ": " + all.error().message);
    // What can be read counts: a node is not taken for one without taints.
    PairList out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (Result<PairList> pair = parse_pairs(text.substr(at, end - at)); pair && !pair->empty())
            out.push_back(std::move(pair->front()));
        at = end + 1;
    }
    return out;
}

void put_amount(const std::string& resource, const std::string& written, Resources& out,
                std::vector<std::string>& warnings) {
    const Result<Quantity> quantity = parse_quantity(written);
    const std::int64_t amount = quantity ? amount_of(resource, *quantity) : -1;
    if (amount >= 0)
        out.set(resource, amount);
    else
        warnings.push_back("kube-env, extended_resources: " + in_quotes(written) +
                           " is no amount of " + resource);
}

}  // namespace

Labels read_node_labels(const KubeEnv& env, std::vector<std::string>& warnings) {
    Labels out;
    for (const auto& [key, value] : marks_of(
             marks_text(env, "node_labels", "NODE_LABELS", warnings), "node_labels", warnings)) {
        if (is_label_key(key) && is_label_value(value))
            out.insert_or_assign(key, value);
        else if (!key.starts_with(resource_label_prefix))
            warnings.push_back("kube-env, node_labels: " + in_quotes(key + "=" + value) +
                               " is no label");
    }
    return out;
}

std::vector<Taint> read_node_taints(const KubeEnv& env, std::vector<std::string>& warnings) {
    std::vector<Taint> out;
    for (const auto& [key, value] : marks_of(
             marks_text(env, "node_taints", "NODE_TAINTS", warnings), "node_taints", warnings)) {
        const Result<Taint> taint = parse_taint(key + "=" + value);
        if (!taint)
            warnings.push_back("kube-env, node_taints: " + taint.error().message);
        else if (!is_label_key(taint->key) || !is_label_value(taint->value))
            warnings.push_back("kube-env, node_taints: " + in_quotes(key + "=" + value) +
                               " is no taint");
        else
            out.push_back(*taint);
    }
    return out;
}

Resources read_extended_resources(const KubeEnv& env, const Labels& labels,
                                  std::vector<std::string>& warnings) {
    Resources out;
    for (const auto& [key, value] : labels)
        if (key.starts_with(resource_label_prefix))
            put_amount(key.substr(resource_label_prefix.size()), value, out, warnings);
    const Result<std::optional<std::string>> text =
        env.find_autoscaler_variable("extended_resources");
    if (!text || !*text) return out;
    for (const auto& [name, written] : marks_of(**text, "extended_resources", warnings))
        put_amount(name, written, out, warnings);
    return out;
}

std::optional<int> find_max_pods(const KubeEnv& env) {
    for (const std::string& text : {env.find("MAX_PODS_PER_NODE").value_or(""),
                                    env.find_kubelet_argument("max-pods").value_or("")}) {
        const auto pods = find_whole_number(text);
        if (pods && *pods > 0 && *pods <= std::numeric_limits<int>::max())
            return static_cast<int>(*pods);
    }
    return std::nullopt;
}

}  // namespace capstan::gce
