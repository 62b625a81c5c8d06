#include "commands/live_command.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <utility>

#include <capstan/ascii.hpp>

#include "commands/explain_report.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/single_plugin.hpp"
#include "commands/value_text.hpp"
#include "simulation/explainer.hpp"

namespace capstan::commands {
namespace {

simulation::Question asked_question(const runtime::daemon::AdminQuestion& asked) {
    return {.pod_ns = asked.pod_ns,
            .pod_name = asked.pod,
            .workload_kind = asked.workload_kind,
            .workload_name = asked.workload,
            .group = NodeGroupId(asked.group),
            .node = asked.node};
}

/// The text of the file; empty if it cannot be read, which `load_pipeline` reports.
std::string config_text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

Result<std::shared_ptr<const runtime::daemon::LoadedConfig>> load_live_config(
    const std::filesystem::path& file, std::ostream& warnings) {
    std::string text = config_text_of(file);
    std::shared_ptr<LoadedPipeline> prepared = load_pipeline(file);
    const std::string complaints = prepared->loaded.diagnostics.text();
    if (!prepared->is_sound()) return fail(ErrorCode::invalid_config, complaints);
    warnings << complaints;
    auto out = std::make_shared<runtime::daemon::LoadedConfig>();
    out->config = prepared->config();
    out->plugins = prepared->plugins;
    const PluginSettingsTable settings(prepared->plugins);
    out->toml = runtime::config::print_config(out->config, runtime::config::PrintDefaults::yes,
                                              settings.lookup());
    out->text = std::move(text);
    out->owner = std::move(prepared);
    return out;
}

std::string make_identity(std::uint64_t chance) {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
    return std::string(name.data()) + "_" + hex_text(chance);
}

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

Result<std::string> explain_pass(const runtime::PassReport& pass,
                                 const runtime::daemon::AdminQuestion& asked) {
    const simulation::Question question = asked_question(asked);
    simulation::Explainer explainer(question);
    explainer.on_last_look(pass.input);
    explainer.on_end();
    const auto& explained = explainer.result();
    if (!explained) return fail(explained.error());
    if (!asked.as_text) return json_line(explained_json(*explained)) + "\n";
    std::ostringstream out;
    print_explained(out, *explained);
    return out.str();
}

}  // namespace capstan::commands
