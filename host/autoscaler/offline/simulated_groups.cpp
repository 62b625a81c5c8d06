#include "autoscaler/offline/simulated_groups.hpp"

#include <algorithm>
#include <utility>

#include "config/text.hpp"

namespace capstan::autoscaler::offline {
namespace {

using config::toml_key;
using config::toml_number;
using config::toml_string;

/// Whether the settings of a machine have a key of its own for the resource.
bool has_key(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource == "pods" ||
           resource == "ephemeral-storage";
}

std::string amount(std::string_view resource, std::int64_t value) {
    return toml_string(format_amount(resource, value));
}

/// "{ a = ..., b = ... }"
class TomlTable {
public:
    void add(std::string_view key, const std::string& value) {
        text_ += (text_.empty() ? " " : ", ") + toml_key(key) + " = " + value;
    }
    void add_text(std::string_view key, const std::string& value) {
        if (!value.empty()) add(key, toml_string(value));
    }
    std::string text() const { return "{" + text_ + (text_.empty() ? "}" : " }"); }

private:
    std::string text_;
};

std::string amounts_toml(const Resources& amounts, auto&& wanted) {
    TomlTable out;
    for (const auto& [resource, value] : amounts)
        if (wanted(resource)) out.add(resource, amount(resource, value));
    return out.text();
}

std::string labels_toml(const Labels& labels) {
    TomlTable out;
    for (const auto& [key, value] : labels) out.add(key, toml_string(value));
    return out.text();
}

std::string taints_toml(const std::vector<Taint>& taints) {
    std::string out;
    for (const Taint& taint : taints)
        out += (out.empty() ? "" : ", ") + toml_string(to_string(taint));
    return "[" + out + "]";
}

std::string machine_toml(const NodeTemplate& node) {
    TomlTable out;
    out.add_text("type", node.machine_type);
    out.add("cpu", amount("cpu", node.capacity.amount("cpu")));
    out.add("memory", amount("memory", node.capacity.amount("memory")));
    if (const auto pods = node.capacity.find("pods")) out.add("pods", std::to_string(*pods));
    if (const auto disk = node.capacity.find("ephemeral-storage"))
        out.add("ephemeral_storage", amount("ephemeral-storage", *disk));
    out.add("resources", amounts_toml(node.capacity, [](auto& name) { return !has_key(name); }));
    out.add("allocatable", amounts_toml(node.allocatable, [](auto&) { return true; }));
    out.add("labels", labels_toml(node.labels));
    out.add("taints", taints_toml(node.taints));
    out.add_text("arch", node.arch);
    out.add_text("os", node.os);
    return out.text();
}

std::string group_toml(const SimulatedGroup& group) {
    std::string out = "[[groups]]\nid = " + toml_string(group.id) +
                      "\nsize = " + std::to_string(group.size) + "\n";
    if (!group.node.zone.empty()) out += "zone = " + toml_string(group.node.zone) + "\n";
    if (group.min > 0) out += "min = " + std::to_string(group.min) + "\n";
    if (group.max) out += "max = " + std::to_string(*group.max) + "\n";
    if (group.price_per_hour)
        out += "price_per_hour = " + toml_number(*group.price_per_hour) + "\n";
    if (group.spot) out += "spot = true\n";
    if (group.target)
        out += "changes = [{ at = \"0s\", target = " + std::to_string(*group.target) + " }]\n";
    return out + "machine = " + machine_toml(group.node) + "\n";
}

}  // namespace

Result<CloudSettings> make_cloud_settings(std::string source,
                                          const std::vector<SimulatedGroup>& groups) {
    CloudSettings out{.source = {.name = std::move(source), .text = {}}, .settings = {}};
    for (const SimulatedGroup& group : groups) out.source.text += group_toml(group);
    if (groups.empty()) out.source.text = "groups = []\n";
    config::Diagnostics diagnostics(out.source);
    auto settings = config::parse_toml(diagnostics);
    if (!settings) return fail(ErrorCode::invalid_argument, diagnostics.text());
    out.settings = std::move(*settings);
    if (std::ranges::any_of(groups, [](const auto& group) { return group.target.has_value(); }))
        out.changes = {Duration(0)};
    return out;
}

std::string machine_id(const std::string& group, std::size_t number) {
    return "simulated://" + group + "/" + std::to_string(number);
}

}  // namespace capstan::autoscaler::offline
