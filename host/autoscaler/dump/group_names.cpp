#include "autoscaler/dump/group_names.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <capstan/ascii.hpp>

namespace capstan::autoscaler::dump {
namespace {

using Nodes = std::span<const engine::snapshot::NodeObject>;

/// Whether `text` has `word` between its ends or characters other than letters and digits.
bool has_word(std::string_view text, std::string_view word) {
    if (word.empty()) return false;
    const auto is_end = [&](std::size_t at) {
        return at >= text.size() || !is_ascii_alnum(text[at]);
    };
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        if ((at == 0 || is_end(at - 1)) && is_end(at + word.size())) return true;
    }
    return false;
}

/// "gke-prod-web-1a2b3c4d-" of a link to "gke-prod-web-1a2b3c4d-grp": how the names of its nodes
/// begin. Empty: the group is none of GKE.
std::string node_prefix_of(std::string_view name) {
    name.remove_prefix(name.rfind('/') + 1);
    constexpr std::string_view start = "gke-", end = "-grp";
    if (!name.starts_with(start) || !name.ends_with(end)) return {};
    return std::string(name.substr(0, name.size() - end.size() + 1));
}

bool all_begin_with(const GuessedGroup& group, Nodes nodes, std::string_view prefix) {
    return std::ranges::all_of(group.nodes,
                               [&](std::size_t i) { return nodes[i].name.starts_with(prefix); });
}

/// How well the name fits the group; 0: not at all. The zone decides between groups of one pool.
std::size_t fitness(const StatusGroup& status, const GuessedGroup& group, Nodes nodes) {
    constexpr std::size_t whole = 1'000'000, by_nodes = 100'000, by_zone = 10'000, by_count = 1;
    if (status.name == group.id) return whole;
    const std::size_t zone = has_word(status.name, group.node.zone) ? by_zone : 0;
    if (const std::string prefix = node_prefix_of(status.name); !prefix.empty())
        return all_begin_with(group, nodes, prefix) ? by_nodes + zone : 0;
    if (!has_word(status.name, group.pool)) return 0;
    return 10 * group.pool.size() + zone +
           (static_cast<std::size_t>(status.target) == group.nodes.size() ? by_count : 0);
}

/// The longest pool that the name has: the name of web-a also has the word web.
std::string_view pool_of(const StatusGroup& status, const std::vector<GuessedGroup>& guessed) {
    std::string_view out;
    for (const GuessedGroup& group : guessed)
        if (group.pool.size() > out.size() && has_word(status.name, group.pool)) out = group.pool;
    return out;
}

/// Absent: no group of the status fits, or several fit equally well.
std::optional<StatusGroup> find_status(const GuessedGroup& group,
                                       const std::vector<GuessedGroup>& guessed, Nodes nodes,
                                       const std::vector<StatusGroup>& status) {
    const StatusGroup* best = nullptr;
    std::size_t most = 0;
    for (const StatusGroup& each : status) {
        const std::size_t fits = fitness(each, group, nodes);
        const bool is_by_pool = node_prefix_of(each.name).empty() && each.name != group.id;
        if (fits == 0 || fits < most || (is_by_pool && pool_of(each, guessed) != group.pool))
            continue;
        best = fits > most ? &each : nullptr;
        most = fits;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

/// Adds another part of the same group.
void merge_group(NamedGroup& into, GuessedGroup more) {
    if (more.node.zone != into.group.node.zone) ++into.zones;
    if (more.nodes.size() > into.group.nodes.size()) {
        std::swap(into.group.node, more.node);
        into.group.node.name = into.group.id;
    }
    into.group.nodes.insert(into.group.nodes.end(), more.nodes.begin(), more.nodes.end());
}

}  // namespace

std::vector<NamedGroup> name_groups(std::vector<GuessedGroup> guessed, Nodes nodes,
                                    const std::vector<StatusGroup>& status) {
    std::vector<std::optional<StatusGroup>> found;
    for (const GuessedGroup& group : guessed)
        found.push_back(find_status(group, guessed, nodes, status));
    std::map<std::string, NamedGroup> named;
    for (std::size_t i = 0; i < guessed.size(); ++i) {
        GuessedGroup& group = guessed[i];
        if (const auto& of_status = found[i]) group.id = of_status->name;
        const auto known = named.find(group.id);
        if (known != named.end()) {
            merge_group(known->second, std::move(group));
            continue;
        }
        group.node.name = group.id;
        std::string id = group.id;
        named.emplace(std::move(id), NamedGroup{std::move(group), std::move(found[i])});
    }
    std::vector<NamedGroup> out;
    for (auto& [id, group] : named) out.push_back(std::move(group));
    return out;
}

std::string group_id_of_link(const std::string& name) {
    constexpr std::string_view projects = "/projects/", zones = "/zones/", regions = "/regions/",
                               groups = "/instanceGroups/", managers = "/instanceGroupManagers/";
    const std::size_t project = name.find(projects);
    if (!name.starts_with("https://") || project == std::string::npos) return name;
    std::string out = name.substr(project + projects.size());
    for (const std::string_view part : {zones, regions, groups, managers}) {
        if (const std::size_t at = out.find(part); at != std::string::npos)
            out.replace(at, part.size(), "/");
    }
    return out;
}

std::optional<std::string> find_gke_group(const GuessedGroup& group, Nodes nodes) {
    constexpr std::string_view scheme = "gce://";
    if (group.nodes.empty()) return std::nullopt;
    const engine::snapshot::NodeObject& first = nodes[group.nodes.front()];
    const std::size_t dash = first.name.rfind('-'), slash = first.provider_id.rfind('/');
    if (!first.name.starts_with("gke-") || !first.provider_id.starts_with(scheme))
        return std::nullopt;
    const std::string prefix = first.name.substr(0, dash + 1);
    if (!all_begin_with(group, nodes, prefix)) return std::nullopt;
    return first.provider_id.substr(scheme.size(), slash + 1 - scheme.size()) + prefix + "grp";
}

}  // namespace capstan::autoscaler::dump
