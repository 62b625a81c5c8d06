#include "autoscaler/record/pass_record.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "autoscaler/record/memory_text.hpp"
#include "config/print.hpp"
#include "plugin_runtime/plugin_files/sha256.hpp"

namespace capstan::autoscaler::record {
namespace {

constexpr int record_version = 2;

std::string digest_of(std::string_view text) {
    return plugin_runtime::plugin_files::sha256_hex(
        std::as_bytes(std::span(text.data(), text.size())));
}

std::string config_text(const config::Config& config, const PluginSet& plugins) {
    std::map<PluginInstanceId, config::PluginSettings> settings;
    for (const LoadedPlugin& plugin : plugins)
        settings[plugin.config.id] = {plugin.fields, plugin.settings};
    return config::print_config(config, config::PrintDefaults::no,
                                [&](const PluginInstanceId& id) -> const config::PluginSettings* {
                                    const auto found = settings.find(id);
                                    return found == settings.end() ? nullptr : &found->second;
                                });
}

std::vector<engine::CloudMachines> listed_machines(const engine::Snapshot& snapshot) {
    return snapshot.machines ? *snapshot.machines : std::vector<engine::CloudMachines>();
}

}  // namespace

PluginRecord make_plugin_record(const LoadedPlugin& plugin) {
    const plugin_runtime::plugin_files::PluginFacts& facts = plugin.library->facts();
    return {plugin.config.id.value(), facts.note.plugin_id, facts.note.version, facts.sha256};
}

SetupRecord make_setup_record(const config::Config& config, const PluginSet& plugins) {
    SetupRecord out{.config = config_text(config, plugins)};
    out.config_sha256 = digest_of(out.config);
    for (const LoadedPlugin& plugin : plugins) out.plugins.push_back(make_plugin_record(plugin));
    return out;
}

PassRecord make_pass_record(std::string_view host, const SetupRecord& setup, const PassInput& input,
                            const PassResult& result) {
    engine::CallContext call_context = input.call_context;
    if (const auto searches = result.outcome.figures.searches_in_time)
        call_context.searches_max = searches;
    return {.version = record_version,
            .host = std::string(host),
            .setup = setup,
            .call_context = call_context,
            .skipped_hooks = result.skipped_hooks,
            .expander_answers = result.expander_answers,
            .cluster = make_cluster_record(input.snapshot.cluster),
            .groups = *result.groups,
            .machines = listed_machines(input.snapshot),
            .unread = input.snapshot.unread,
            .notes = result.notes,
            .candidate_groups = result.candidate_groups,
            .memory = input.memory,
            .outcome = result.outcome};
}

std::string pass_record_text(const PassRecord& record) {
    JsonText out;
    write_json(out, record);
    return out.take();
}

Result<PassRecord> parse_pass_record(std::string_view text, std::string_view name) {
    CAPSTAN_TRY(PassRecord record, parse_versioned<PassRecord>(text, name, record_version));
    if (digest_of(record.setup.config) != record.setup.config_sha256)
        return fail(ErrorCode::invalid_argument,
                    std::string(name) +
                        ": /setup/config: was changed after it was recorded (sha256 differs)");
    return record;
}

}  // namespace capstan::autoscaler::record
