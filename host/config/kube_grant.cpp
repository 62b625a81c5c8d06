#include "config/kube_grant.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <capstan/label_syntax.hpp>
#include <capstan/sentence.hpp>

#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::config {
namespace {

constexpr std::array<std::string_view, 7> verbs{"get",    "list",  "watch", "create",
                                                "update", "patch", "delete"};

std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
    const std::size_t found = text.find(at);
    if (found == std::string_view::npos) return {text, {}};
    return {text.substr(0, found), text.substr(found + 1)};
}

std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t comma = text.find(',');
        out.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return out;
        text.remove_prefix(comma + 1);
    }
}

Result<void> read_granted_resource(std::string_view text, KubeGrant& out,
                                   std::string& subresource) {
    const auto [resource, below] = cut(text, '/');
    const auto [plural, group] = cut(resource, '.');
    if (!is_dns_label(plural))
        return plugin_runtime::plugin_files::refuse(
            "expected a resource such as nodes or deployments.apps before the ':'");
    if (plural.size() != resource.size() && !is_dns_subdomain(group))
        return plugin_runtime::plugin_files::refuse(in_quotes(group) + " is not an API group");
    if (below.size() + 1 + resource.size() == text.size() && !is_dns_label(below))
        return plugin_runtime::plugin_files::refuse(in_quotes(below) + " is not a subresource");
    out.plural = plural;
    out.group = group;
    subresource = below;
    return {};
}

Result<void> read_verb(std::string_view text, const std::string& subresource, KubeGrant& out) {
    const auto [verb, below] = cut(text, '/');
    if (std::ranges::find(verbs, verb) == verbs.end())
        return plugin_runtime::plugin_files::refuse(
            in_quotes(verb) +
            " is not a verb: " + listed(verbs, [](std::string_view v) { return v; }, verbs.size()));
    const bool has_own = verb.size() != text.size();
    if (has_own && !subresource.empty())
        return plugin_runtime::plugin_files::refuse(
            "a subresource is given for the resource and for " + in_quotes(verb));
    if (has_own && !is_dns_label(below))
        return plugin_runtime::plugin_files::refuse(in_quotes(below) + " is not a subresource");
    out.allowed.insert({has_own ? std::string(below) : subresource, std::string(verb)});
    return {};
}

}  // namespace

bool KubeGrant::allows(const KubeAction& action) const {
    return action.group == group && action.plural == plural &&
           allowed.contains({action.subresource, action.verb}) &&
           (namespaces.empty() || namespaces.contains(action.ns));
}

Result<KubeGrant> parse_kube_grant(std::string_view text) {
    if (text.find(':') == std::string_view::npos)
        return plugin_runtime::plugin_files::refuse(
            "expected \"RESOURCE:VERB,VERB\", as in \"pods:list,watch\"");
    const auto [resource, rest] = cut(text, ':');
    const auto [verbs_text, namespaces] = cut(rest, '@');
    KubeGrant out;
    std::string subresource;
    CAPSTAN_CHECK(read_granted_resource(resource, out, subresource));
    for (const std::string_view verb : split_list(verbs_text))
        CAPSTAN_CHECK(read_verb(verb, subresource, out));
    if (verbs_text.size() == rest.size()) return out;
    for (const std::string_view ns : split_list(namespaces)) {
        if (!is_dns_label(ns))
            return plugin_runtime::plugin_files::refuse(in_quotes(ns) + " is not a namespace");
        out.namespaces.emplace(ns);
    }
    return out;
}

std::vector<KubeGrant> read_kube_grants(const std::vector<std::string>& texts) {
    std::vector<KubeGrant> out;
    for (const std::string& text : texts) {
        if (auto grant = parse_kube_grant(text)) out.push_back(*std::move(grant));
    }
    return out;
}

bool is_granted(const std::vector<KubeGrant>& grants, const KubeAction& action) {
    return std::ranges::any_of(grants, [&](const KubeGrant& g) { return g.allows(action); });
}

std::string grant_for(const KubeAction& action) {
    std::string out = action.plural;
    if (!action.group.empty()) out += "." + action.group;
    out += ":" + action.verb;
    if (!action.subresource.empty()) out += "/" + action.subresource;
    if (!action.ns.empty()) out += "@" + action.ns;
    return out;
}

}  // namespace capstan::config
