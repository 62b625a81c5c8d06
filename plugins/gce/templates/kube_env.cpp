#include "kube_env.hpp"

#include <yaml-cpp/yaml.h>

#include <cstddef>

#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

/// Compute takes 256 KiB for a value.
constexpr std::size_t kube_env_size_max = std::size_t{1} << 20;

Unexpected no_kube_env(const YAML::Mark& mark, const std::string& why) {
    const std::string place = mark.is_null()
                                  ? std::string()
                                  : "line " + std::to_string(mark.line + 1) + ", column " +
                                        std::to_string(mark.column + 1) + ": ";
    return fail(ErrorCode::invalid_argument, "kube-env: " + place + why);
}

std::string_view trimmed_of(std::string_view text, std::string_view characters) {
    const std::size_t begin = text.find_first_not_of(characters);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(characters) - begin + 1);
}

}  // namespace

Result<PairList> parse_pairs(std::string_view text) {
    PairList out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos)
            return fail(ErrorCode::invalid_argument,
                        in_quotes(part) + " is no pair: write \"key=value\"");
        out.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    }
    return out;
}

Result<KubeEnv> KubeEnv::parse(const std::string& yaml) {
    if (yaml.size() > kube_env_size_max)
        return no_kube_env(YAML::Mark::null_mark(), "it is larger than 1 MiB");
    KubeEnv out;
    try {
        const YAML::Node root = YAML::Load(yaml);
        if (!root.IsDefined() || root.IsNull()) return out;
        if (!root.IsMap()) return no_kube_env(root.Mark(), "a map of texts is wanted");
        for (const auto& entry : root) {
            if (entry.first.IsScalar() && entry.second.IsScalar())
                out.variables_.insert_or_assign(entry.first.Scalar(), entry.second.Scalar());
        }
    } catch (const YAML::Exception& e) {
        return no_kube_env(e.mark, e.msg);
    }
    return out;
}

std::optional<std::string> KubeEnv::find(std::string_view name) const {
    const auto at = variables_.find(name);
    return at == variables_.end() ? std::nullopt : std::optional(at->second);
}

Result<std::optional<std::string>> KubeEnv::find_autoscaler_variable(std::string_view name) const {
    const std::optional<std::string> all = find("AUTOSCALER_ENV_VARS");
    std::string_view rest = all ? trimmed_of(*all, " ") : std::string_view();
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const std::string_view variable = trimmed_of(part, " ");
        // One behind the last semicolon is no variable.
        if (variable.empty()) continue;
        const std::size_t equals = variable.find('=');
        if (equals == std::string_view::npos)
            return fail(ErrorCode::invalid_argument,
                        "AUTOSCALER_ENV_VARS: " + in_quotes(variable) + " has no '='");
        if (trimmed_of(variable.substr(0, equals), " ") == name)
            return std::optional(std::string(trimmed_of(variable.substr(equals + 1), " \"'")));
    }
    return std::optional<std::string>();
}

}  // namespace capstan::gce
