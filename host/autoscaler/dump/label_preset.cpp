#include "autoscaler/dump/label_preset.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <capstan/sentence.hpp>

namespace capstan::autoscaler::dump {
namespace {

struct Provider {
    std::string_view preset, provider_id;
    std::array<std::string_view, 2> label_prefixes;
};

constexpr std::array providers{
    Provider{"aws", "aws://", {"eks.amazonaws.com/", "alpha.eksctl.io/"}},
    Provider{"gce", "gce://", {"cloud.google.com/", "topology.gke.io/"}},
    Provider{"azure", "azure://", {"kubernetes.azure.com/", "topology.disk.csi.azure.com/"}},
};

bool is_of(const engine::snapshot::NodeObject& node, const Provider& provider) {
    if (node.provider_id.find("://") != std::string::npos)
        return node.provider_id.starts_with(provider.provider_id);
    return std::ranges::any_of(node.labels, [&](const auto& label) {
        return std::ranges::any_of(provider.label_prefixes, [&](std::string_view prefix) {
            return label.first.starts_with(prefix);
        });
    });
}

bool is_unset_labels(const config::PluginConfig& plugin) {
    const bool is_labels = plugin.shipped && std::filesystem::path(plugin.file).stem() == "labels";
    return is_labels && plugin.settings.find("preset") == nullptr &&
           plugin.settings.find("only") == nullptr;
}

}  // namespace

std::string_view find_label_preset(std::span<const engine::snapshot::NodeObject> nodes) {
    std::string_view out;
    std::ptrdiff_t most = 0;
    for (const Provider& provider : providers) {
        const auto count = std::ranges::count_if(
            nodes, [&](const engine::snapshot::NodeObject& node) { return is_of(node, provider); });
        if (count <= most) continue;
        most = count;
        out = provider.preset;
    }
    return out;
}

std::string set_label_preset(config::Config& config, std::string_view preset) {
    if (preset.empty()) return {};
    std::string names;
    for (config::PluginConfig& plugin : config.plugins) {
        if (!is_unset_labels(plugin)) continue;
        plugin.settings.children.push_back({.kind = config::TomlValue::Kind::string,
                                            .key = "preset",
                                            .text = std::string(preset)});
        names += (names.empty() ? "plugin." : ", plugin.") + plugin.id.value();
    }
    if (names.empty()) return {};
    return names + ": preset " + in_quotes(preset) +
           ", the cloud of the dump's nodes; the configuration can set another";
}

}  // namespace capstan::autoscaler::dump
