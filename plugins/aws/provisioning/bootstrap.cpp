#include "bootstrap.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <capstan/kubelet_labels.hpp>
#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr std::string_view eks_script_path = "/etc/eks/bootstrap.sh";
constexpr std::string_view extra_args_option = "--kubelet-extra-args";
constexpr std::string_view node_config_type = "application/node.eks.aws";
constexpr std::string_view node_config_api = "apiVersion: node.eks.aws/";
constexpr std::string_view bottlerocket_labels = "[settings.kubernetes.node-labels]";
constexpr std::string_view bottlerocket_taints = "[settings.kubernetes.node-taints]";
constexpr std::size_t user_data_max = std::size_t{16} * 1024;  // EC2's, before base64

bool has_part(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

Unexpected refuse_user_data(const std::string& why) {
    return fail(ErrorCode::unsupported, "the launch template's user data " + why);
}

bool is_multipart(std::string_view text) noexcept {
    const std::string_view head = text.substr(0, text.find("\n--"));
    return has_part(head, "multipart/mixed");
}

std::string_view trimmed_line(std::string_view line) noexcept {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
}

std::vector<std::string_view> lines_of_user_data(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        out.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return out;
}

bool has_line(std::string_view text, std::string_view beginning) {
    return std::ranges::any_of(lines_of_user_data(text), [&](std::string_view line) {
        return trimmed_line(line).starts_with(beginning);
    });
}

std::string label_flag(const Labels& labels) {
    std::string out;
    for (const auto& [key, value] : labels)
        out.append(out.empty() ? "--node-labels=" : ",").append(key).append("=").append(value);
    return out;
}

std::string taint_flag(const std::vector<Taint>& taints) {
    std::string out;
    for (const Taint& taint : taints)
        out.append(out.empty() ? "--register-with-taints=" : ",").append(to_string(taint));
    return out;
}

// bootstrap.sh of Amazon Linux 2.

/// The positions of the script's path in lines that are no comments.
std::vector<std::size_t> find_script(std::string_view text) {
    std::vector<std::size_t> out;
    for (std::size_t at = text.find(eks_script_path); at != std::string_view::npos;
         at = text.find(eks_script_path, at + 1)) {
        const std::size_t newline = text.rfind('\n', at);
        const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
        if (!trimmed_line(text.substr(begin, at - begin)).starts_with('#')) out.push_back(at);
    }
    return out;
}

/// The end of the command at `at`: the first line break without a '\' before it.
std::size_t end_of_command(std::string_view text, std::size_t at) noexcept {
    for (std::size_t end = text.find('\n', at); end != std::string_view::npos;
         end = text.find('\n', end + 1)) {
        if (trimmed_line(text.substr(at, end - at)).ends_with('\\')) continue;
        return end;
    }
    return text.size();
}

/// The position of the closing quote of the option's value; npos if the value is not quoted.
std::size_t end_of_extra_args(std::string_view command, std::size_t option) noexcept {
    constexpr std::string_view between = " \t=\\\r\n";
    const std::size_t open = command.find_first_not_of(between, option + extra_args_option.size());
    if (open == std::string_view::npos) return open;
    const char quote = command[open];
    if (quote != '\'' && quote != '"') return std::string_view::npos;
    for (std::size_t at = open + 1; at < command.size(); ++at) {
        if (command[at] == '\\' && quote == '"') {
            ++at;
        } else if (command[at] == quote) {
            return at;
        }
    }
    return std::string_view::npos;
}

Result<std::string> add_to_script(std::string_view text, const std::string& flags) {
    const std::vector<std::size_t> calls = find_script(text);
    if (calls.size() != 1)
        return refuse_user_data("calls " + std::string(eks_script_path) + " " +
                                counted(static_cast<std::int64_t>(calls.size()), "time"));
    const std::size_t begin = calls.front(), end = end_of_command(text, begin);
    const std::string_view command = text.substr(begin, end - begin);
    std::string out(text);
    const std::size_t option = command.find(extra_args_option);
    if (option == std::string_view::npos) {
        return out.insert(begin + eks_script_path.size(),
                          " " + std::string(extra_args_option) + " '" + flags + "'");
    }
    const std::size_t close = end_of_extra_args(command, option);
    if (close == std::string_view::npos)
        return refuse_user_data("has " + std::string(extra_args_option) +
                                " without a quoted value");
    return out.insert(begin + close, " " + flags);
}

// NodeConfig of nodeadm, which merges all NodeConfigs and concatenates their kubelet flags.

std::string kubelet_flags_config(const std::vector<std::string>& flags) {
    std::string out =
        "---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags:\n";
    for (const std::string& flag : flags) out += "      - \"" + flag + "\"\n";
    return out;
}

std::string mime_part(std::string_view boundary, std::string_view content) {
    return "--" + std::string(boundary) + "\nContent-Type: " + std::string(node_config_type) +
           "\n\n" + std::string(content) + "\n";
}

std::string_view find_boundary(std::string_view text) noexcept {
    constexpr std::string_view name = "boundary=";
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + name.size());
    if (rest.starts_with('"')) return rest.substr(1, rest.find('"', 1) - 1);
    return rest.substr(0, rest.find_first_of("; \t\r\n"));
}

Result<std::string> add_node_config(std::string_view text, const std::string& config) {
    if (!is_multipart(text)) {
        constexpr std::string_view ours = "CAPSTAN-NODE-CONFIG";
        if (has_part(text, ours))
            return refuse_user_data("already contains the boundary CAPSTAN-NODE-CONFIG");
        return "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"" + std::string(ours) +
               "\"\n\n" + mime_part(ours, text) + mime_part(ours, config) + "--" +
               std::string(ours) + "--\n";
    }
    const std::string_view boundary = find_boundary(text);
    const std::string closing = "--" + std::string(boundary) + "--";
    const std::size_t end = text.rfind(closing);
    if (boundary.empty() || end == std::string_view::npos)
        return refuse_user_data("is a multipart document without a closing boundary");
    std::string out(text.substr(0, end));
    if (!out.ends_with('\n')) out += '\n';
    return out + mime_part(boundary, config) + std::string(text.substr(end));
}

// Settings of Bottlerocket.

bool sets_key(std::string_view line, const std::string& key) {
    const std::string_view text = trimmed_line(line);
    const std::string quoted = "\"" + key + "\"";
    for (const std::string_view written : {std::string_view(quoted), std::string_view(key)}) {
        if (!text.starts_with(written)) continue;
        if (trimmed_line(text.substr(written.size())).starts_with('=')) return true;
    }
    return false;
}

std::string label_lines(const Labels& labels) {
    std::string out;
    for (const auto& [key, value] : labels) out += "\"" + key + "\" = \"" + value + "\"\n";
    return out;
}

/// The user data with `labels` in its table of labels; they replace those with the same keys.
std::string join_label_table(std::string_view text, const Labels& labels) {
    std::string out;
    bool is_inside = false;
    for (const std::string_view line : lines_of_user_data(text)) {
        const std::string_view plain = trimmed_line(line);
        if (plain.starts_with('[')) is_inside = plain == bottlerocket_labels;
        const bool is_replaced = is_inside && std::ranges::any_of(labels, [&](const auto& label) {
                                     return sets_key(line, label.first);
                                 });
        if (is_replaced) continue;
        out.append(line).append("\n");
        if (plain == bottlerocket_labels) out += label_lines(labels);
    }
    return out;
}

std::string taint_table(const std::vector<Taint>& taints) {
    std::map<std::string, std::string> by_key;
    for (const Taint& taint : taints) {
        std::string& effects = by_key[taint.key];
        effects += std::string(effects.empty() ? "" : ", ") + "\"" + taint.value + ":" +
                   std::string(name_of(taint.effect)) + "\"";
    }
    std::string out = "\n" + std::string(bottlerocket_taints) + "\n";
    for (const auto& [key, effects] : by_key) out += "\"" + key + "\" = [" + effects + "]\n";
    return out;
}

Result<std::string> add_settings(std::string_view text, const Labels& labels,
                                 const std::vector<Taint>& taints) {
    std::string out(text);
    if (!out.ends_with('\n')) out += '\n';
    if (!labels.empty() && has_line(text, bottlerocket_labels)) {
        out = join_label_table(text, labels);
    } else if (!labels.empty() && has_part(text, "node-labels")) {
        return refuse_user_data("does not set node-labels as a table [...]");
    } else if (!labels.empty()) {
        out += "\n" + std::string(bottlerocket_labels) + "\n" + label_lines(labels);
    }
    return taints.empty() ? out : out + taint_table(taints);
}

Result<std::string> add_by_bootstrap(std::string_view text, const Labels& labels,
                                     const std::vector<Taint>& taints) {
    std::vector<std::string> flags;
    if (!labels.empty()) flags.push_back(label_flag(labels));
    if (!taints.empty()) flags.push_back(taint_flag(taints));
    switch (find_bootstrap(text)) {
        case Bootstrap::eks_script:
            return add_to_script(text, flags.size() == 2 ? flags[0] + " " + flags[1] : flags[0]);
        case Bootstrap::nodeadm: return add_node_config(text, kubelet_flags_config(flags));
        case Bootstrap::bottlerocket: return add_settings(text, labels, taints);
        case Bootstrap::unknown: break;
    }
    return refuse_user_data(
        "is not of a kind that labels and taints can be added to (EKS bootstrap.sh, nodeadm "
        "NodeConfig, Bottlerocket settings)");
}

}  // namespace

std::string_view name_of(Bootstrap bootstrap) noexcept {
    switch (bootstrap) {
        case Bootstrap::unknown: return "unknown";
        case Bootstrap::eks_script: return "bootstrap.sh";
        case Bootstrap::nodeadm: return "nodeadm";
        case Bootstrap::bottlerocket: return "Bottlerocket";
    }
    return "unknown";
}

Bootstrap find_bootstrap(std::string_view user_data) {
    // An encoded part is not decoded, so its contents are unknown.
    if (is_multipart(user_data) && has_part(user_data, "Content-Transfer-Encoding: base64"))
        return Bootstrap::unknown;
    if (has_part(user_data, node_config_api)) return Bootstrap::nodeadm;
    if (has_part(user_data, eks_script_path)) return Bootstrap::eks_script;
    if (has_line(user_data, "[settings.kubernetes]") || has_line(user_data, "settings.kubernetes."))
        return Bootstrap::bottlerocket;
    return Bootstrap::unknown;
}

bool has_taints(std::string_view user_data) noexcept {
    return has_part(user_data, "register-with-taints") ||
           has_part(user_data, "registerWithTaints") || has_part(user_data, "node-taints");
}

Result<std::string> add_to_user_data(std::string_view user_data, const Labels& labels,
                                     const std::vector<Taint>& taints) {
    for (const auto& [key, value] : labels) {
        CAPSTAN_CHECK(check_kubelet_label(key));
        if (!is_label_key(key) || !is_label_value(value))
            return fail(ErrorCode::unsupported,
                        in_quotes(key + "=" + value) + " is not a valid label");
    }
    for (const Taint& taint : taints) {
        if (!is_label_key(taint.key) || !is_label_value(taint.value))
            return fail(ErrorCode::unsupported,
                        in_quotes(to_string(taint)) + " is not a valid taint");
    }
    if (labels.empty() && taints.empty()) return std::string(user_data);
    CAPSTAN_TRY(std::string out, add_by_bootstrap(user_data, labels, taints));
    if (out.size() > user_data_max)
        return refuse_user_data("would have " + std::to_string(out.size()) +
                                " bytes with the labels and taints, EC2 allows " +
                                std::to_string(user_data_max));
    return out;
}

}  // namespace capstan::aws
