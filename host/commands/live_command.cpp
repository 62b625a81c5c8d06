#include "commands/live_command.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <utility>

#include <capstan/ascii.hpp>

#include "autoscaler/questions/explainer.hpp"
#include "commands/explain_report.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/options.hpp"
#include "commands/single_plugin.hpp"
#include "commands/value_text.hpp"
#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "config/text.hpp"

namespace capstan::commands {
namespace {

autoscaler::questions::Question asked_question(const autoscaler::daemon::AdminQuestion& asked) {
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

/// Whether the file asks for the pod's service account, which has no contexts.
bool names_service_account(const std::string& config_text) {
    config::Diagnostics ignored({"", config_text});
    const auto root = config::parse_toml(ignored);
    const auto* const cluster = root ? root->find("cluster") : nullptr;
    const auto* const kubeconfig = cluster == nullptr ? nullptr : cluster->find("kubeconfig");
    return kubeconfig != nullptr && kubeconfig->text == "in-cluster";
}

/// The options as overrides of the file. A kubeconfig or context of the command line replaces the
/// file's choice of a cluster as a whole.
std::vector<std::string> overrides_of(const LiveChoice& choice, const std::string& config_text) {
    std::vector<std::string> out = choice.set;
    const auto put = [&out](const std::string& key, const std::string& value) {
        out.push_back(key + "=" + config::toml_string(value));
    };
    const auto& [kubeconfig, context] = choice.cluster;
    if (!choice.log_level.empty()) put("log.level", choice.log_level);
    if (kubeconfig.empty() && context.empty()) return out;
    if (!kubeconfig.empty() || names_service_account(config_text))
        put("cluster.kubeconfig", kubeconfig);
    put("cluster.context", context);
    put("cluster.server", "");
    return out;
}

}  // namespace

void add_live_choice(CLI::App& command, LiveChoice& choice) {
    add_config_file(command, choice.config);
    add_overrides(command, choice.set);
    add_cluster_choice(command, choice.cluster, ClusterDefault::configuration);
    std::vector<std::string> levels;
    for (const std::string_view level : names_of(config::LogLevel{})) levels.emplace_back(level);
    add_option(command, "--log-level", choice.log_level, "LEVEL",
               "Lowest level of messages that are logged: " + config::joined_names(levels) +
                   " (default: log.level)")
        ->check(one_of(levels));
}

Result<std::shared_ptr<const autoscaler::daemon::LoadedConfig>> load_live_config(
    const LiveChoice& choice, std::ostream& warnings) {
    std::string text = config_text_of(choice.config);
    std::shared_ptr<LoadedPipeline> prepared =
        load_pipeline(choice.config, overrides_of(choice, text));
    const std::string complaints = prepared->loaded.diagnostics.text();
    if (!prepared->is_sound()) return fail(ErrorCode::invalid_config, complaints);
    warnings << complaints;
    auto out = std::make_shared<autoscaler::daemon::LoadedConfig>();
    out->config = prepared->config();
    out->plugins = prepared->plugins;
    const PluginSettingsTable settings(prepared->plugins);
    out->toml = config::print_config(out->config, config::PrintDefaults::yes, settings.lookup());
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

Result<std::string> explain_pass(const autoscaler::PassReport& pass,
                                 const autoscaler::daemon::AdminQuestion& asked) {
    const autoscaler::questions::Question question = asked_question(asked);
    autoscaler::questions::Explainer explainer(question);
    explainer.take_last(pass.input);
    explainer.finish();
    const auto& explained = explainer.result();
    if (!explained) return fail(explained.error());
    if (!asked.as_text) return json_line(explained_json(*explained)) + "\n";
    std::ostringstream out;
    print_explained(out, *explained);
    return out.str();
}

}  // namespace capstan::commands
