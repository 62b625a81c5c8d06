// Writes the kube-env of a group that Capstan makes: the kube-env of the source template with the
// plan's labels and taints.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

#include "group_template.hpp"
#include "kube_env.hpp"
#include "node_labels_and_taints.hpp"

namespace capstan::gce {
namespace {

std::string pairs_text(const Labels& labels) {
    std::string out;
    for (const auto& [key, value] : labels) out += (out.empty() ? "" : ",") + key + "=" + value;
    return out;
}

std::string pairs_text(const std::vector<Taint>& taints) {
    std::string out;
    for (const Taint& taint : taints)
        out += (out.empty() ? "" : ",") + taint.key + "=" + taint.value + ":" +
               std::string(name_of(taint.effect));
    return out;
}

/// AUTOSCALER_ENV_VARS with node_labels and node_taints replaced.
std::string autoscaler_variables(const std::string& before, const std::string& labels,
                                 const std::string& taints) {
    std::string out = "node_labels=" + labels + ";node_taints=" + taints;
    std::string_view rest = before;
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
        std::string_view name = part.substr(begin, part.find('=') - begin);
        while (name.ends_with(' ')) name.remove_suffix(1);
        if (!name.empty() && name != "node_labels" && name != "node_taints")
            out += ";" + std::string(part.substr(begin));
    }
    return out;
}

/// `text` with exactly one argument "--NAME=VALUE", at the place of the first one or at the end. An
/// empty value removes the argument.
std::string with_argument(std::string text, std::string_view name, const std::string& value) {
    std::string wanted;
    if (!value.empty()) wanted.append("--").append(name).append("=").append(value);
    for (auto at = find_argument(text, name); at; at = find_argument(text, name, at->begin)) {
        text.replace(at->begin, at->end - at->begin, wanted);
        at->begin += std::exchange(wanted, std::string()).size();
    }
    if (wanted.empty()) return text;
    return text + (text.empty() ? "" : " ") + wanted;
}

/// Whether a key of YAML needs no quotes: it has the characters of a variable's name alone.
bool is_plain(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return is_ascii_upper(c) || is_ascii_digit(c) || c == '_';
    });
}

using Variables = std::map<std::string, std::string, std::less<>>;

Result<std::string> yaml_text(const Variables& variables) {
    YAML::Emitter out;
    out << YAML::BeginMap;
    for (const auto& [name, value] : variables) {
        out << YAML::Key;
        if (!is_plain(name)) out << YAML::DoubleQuoted;
        out << name << YAML::Value << YAML::DoubleQuoted << value;
    }
    out << YAML::EndMap;
    if (!out.good())
        return fail(ErrorCode::unsupported, "kube-env cannot be written: " + out.GetLastError());
    return std::string(out.c_str()) + "\n";
}

/// The variables that templates, options and write_kube_env use.
constexpr std::array<std::string_view, 6> variables_that_count{
    "AUTOSCALER_ENV_VARS", "KUBELET_ARGS", "KUBELET_TEST_ARGS",
    "MAX_PODS_PER_NODE",   "NODE_LABELS",  "NODE_TAINTS"};

}  // namespace

Result<std::string> write_kube_env(const std::string& kube_env, const Labels& labels,
                                   const std::vector<Taint>& taints) {
    CAPSTAN_TRY(const KubeEnv env, KubeEnv::parse(kube_env));
    if (env.variables().empty())
        return fail(ErrorCode::unsupported,
                    "the instance template has no kube-env to add labels and taints to");
    std::vector<std::string> warnings;
    Labels all_labels = read_node_labels(env, warnings);
    std::vector<Taint> all_taints = read_node_taints(env, warnings);
    if (!warnings.empty()) return fail(ErrorCode::unsupported, warnings.front());
    for (const auto& [key, value] : labels) all_labels.insert_or_assign(key, value);
    for (const Taint& taint : taints)
        if (std::ranges::count(all_taints, taint) == 0) all_taints.push_back(taint);
    const std::string label_text = pairs_text(all_labels), taint_text = pairs_text(all_taints);
    auto variables = env.variables();
    std::string& vars = variables["AUTOSCALER_ENV_VARS"];
    vars = autoscaler_variables(vars, label_text, taint_text);
    variables["NODE_LABELS"] = label_text;
    variables["NODE_TAINTS"] = taint_text;
    for (const char* const name : {"KUBELET_ARGS", "KUBELET_TEST_ARGS"}) {
        const auto at = variables.find(name);
        if (at == variables.end()) continue;
        at->second = with_argument(at->second, "node-labels", label_text);
        at->second = with_argument(at->second, "register-with-taints", taint_text);
    }
    return yaml_text(variables);
}

std::string shorten_kube_env(const std::string& kube_env) {
    const Result<KubeEnv> env = KubeEnv::parse(kube_env);
    if (!env || env->variables().empty()) return kube_env;
    // One variable always stays, since an empty kube-env counts as none.
    Variables some{{"AUTOSCALER_ENV_VARS", ""}};
    for (const std::string_view name : variables_that_count)
        if (auto value = env->find(name))
            some.insert_or_assign(std::string(name), *std::move(value));
    return yaml_text(some).value_or(kube_env);
}

}  // namespace capstan::gce
