#include "node_labels_and_taints.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include <capstan/label_syntax.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>
#include <capstan/taint_text.hpp>
#include <capstan/whole_number.hpp>

namespace capstan::gce {
namespace {

constexpr std::string_view resource_label_prefix = "clusterautoscaler-nodetemplate-resources.";

/// The variable of AUTOSCALER_ENV_VARS, or else the one of kube-env; empty if there is neither.
std::string marks_text(const KubeEnv& env, std::string_view variable, std::string_view fallback,
                       std::vector<std::string>& warnings) {
    const Result<std::optional<std::string>> found = env.find_autoscaler_variable(variable);
    if (!found) warnings.push_back("kube-env: " + found.error().message);
    if (const auto text = found.value_or(std::nullopt); text) return *text;
    return env.find(fallback).value_or("");
}

/// A part of the list that is not a pair causes a warning; the other parts are used. If all were
/// dropped, the template would lack taints, and any pod would seem to fit.
PairList marks_of(std::string_view text, std::string_view variable,
                  std::vector<std::string>& warnings) {
    PairList out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        Result<PairList> pair = parse_pairs(part);
        if (pair)
            out.insert(out.end(), pair->begin(), pair->end());
        else
            warnings.push_back("kube-env, " + std::string(variable) + ": " + pair.error().message);
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
                           " is not a valid amount of " + resource);
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
                               " is not a valid label");
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
                               " is not a valid taint");
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
    const std::optional<std::string> text =
        env.find_autoscaler_variable("extended_resources").value_or(std::nullopt);
    if (!text) return out;
    for (const auto& [name, written] : marks_of(*text, "extended_resources", warnings))
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
