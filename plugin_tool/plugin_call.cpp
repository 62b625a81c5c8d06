#include <algorithm>
#include <numeric>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/policies/plugin_policies.hpp"
#include "autoscaler/wiring.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/single_plugin.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"
#include "plugin_tool/call_cloud.hpp"
#include "plugin_tool/call_command.hpp"
#include "plugin_tool/http_recording.hpp"
#include "plugin_tool/plugin_program.hpp"

namespace capstan::plugin_tool {
namespace {

using plugin_runtime::instances::PassWatch;
using Instance = std::shared_ptr<plugin_runtime::instances::PluginInstance>;

/// Makes a policy with `make` and asks it on a watched thread: a hook that overruns is abandoned,
/// and the answer is an error. An abandoned thread may still use both functions, so they have to
/// own copies of their data.
template <class R, class Make, class Question>
Result<R> ask_watched(const Make& make, const Question& question) {
    const std::function<Result<R>(PassWatch&)> pass = [make, question](PassWatch& watch) {
        return make(watch).and_then(
            [&](const auto& policy) -> Result<R> { return question(*policy); });
    };
    return plugin_runtime::instances::run_watched(pass).result;
}

template <class Policy>
auto maker_of(const Instance& instance) {
    return [instance](PassWatch& watch) { return Policy::make(instance, watch); };
}

/// The named class; if `name` is empty, the only class of the kind.
Result<plugin_runtime::plugin_files::ClassInfo> choose_class(
    const plugin_runtime::plugin_files::PluginLibrary& library, const std::string& name,
    std::string_view kind) {
    if (!name.empty()) {
        CAPSTAN_TRY(const plugin_runtime::plugin_files::ClassInfo found,
                    autoscaler::find_class(library, name));
        if (found.kind == kind) return found;
        return fail(ErrorCode::invalid_argument,
                    "class " + name + " is of kind " + std::string(found.kind));
    }
    const auto of_kind = [kind](const plugin_runtime::plugin_files::ClassInfo& c) {
        return c.kind == kind;
    };
    const auto classes = library.classes();
    const auto found = std::ranges::count_if(classes, of_kind);
    if (found == 1) return *std::ranges::find_if(classes, of_kind);
    std::string all;
    for (const plugin_runtime::plugin_files::ClassInfo& c : classes) {
        all += (all.empty() ? "" : ", ") + std::string(c.id) + " (" + std::string(c.kind) + ")";
    }
    const std::string why = found == 0 ? "the file has no class of kind " + std::string(kind)
                                       : "choose a class with FILE.so#CLASS";
    return fail(ErrorCode::invalid_argument, why + "; classes are " + all);
}

int ask_plugin(const autoscaler::LoadedPlugin& plugin, CallKind kind, commands::Streams streams) {
    // `call_controller` starts a host with a cluster for each request.
    if (kind == CallKind::controller)
        return call({.kind = kind,
                     .controller =
                         [&plugin](const ControllerRequest& request) {
                             return call_controller(plugin, request);
                         }},
                    streams.in, streams.out, streams.err);
    config::Config config;
    config.log.level = config::LogLevel::warn;
    auto host = autoscaler::PluginHost::start(
        config, {plugin}, {.seed = 0, .version = CAPSTAN_VERSION, .breadcrumbs = {}, .state = {}});
    if (!host) return commands::refuse(streams, host.error().message, commands::exit_failed);
    const Instance instance = (*host)->instances().front();
    const auto answers = std::make_shared<autoscaler::policies::ExpanderAnswers>(
        std::vector<autoscaler::policies::ExpanderAnswer>(), autoscaler::asking(**host));
    const auto filter = [&](const commands::ExpanderRequest& request) {
        return ask_watched<engine::FilterResult>(
            [instance, answers](PassWatch& watch) {
                return autoscaler::policies::make_expander(instance, watch, answers);
            },
            [request](engine::Expander& expander) {
                std::vector<std::uint32_t> among(request.question.options.size());
                std::iota(among.begin(), among.end(), 0u);
                return expander.filter(request.question, among, {.seed = request.seed});
            });
    };
    const auto compare = [&](const commands::SimilarityRequest& request) {
        return ask_watched<Similarity>(
            maker_of<autoscaler::policies::PluginSimilarity>(instance),
            [request](auto& check) { return check.similar(request.a, request.b, {}); });
    };
    const auto split = [&](const commands::SplitterRequest& request) {
        return ask_watched<std::vector<int>>(
            maker_of<autoscaler::policies::PluginSplitter>(instance), [request](auto& splitter) {
                return splitter.split(request.nodes, request.groups, {});
            });
    };
    const auto suggest = [&](const GroupsRequest& request) {
        return ask_watched<engine::GroupsAnswer>(
            maker_of<autoscaler::policies::PluginGroupSource>(instance), [request](auto& source) {
                std::vector<engine::GroupsQuestion::Existing> existing;
                return source.suggest(request.question(existing), {});
            });
    };
    return call({.kind = kind,
                 .expander = filter,
                 .similarity = compare,
                 .splitter = split,
                 .group_source = suggest},
                streams.in, streams.out, streams.err);
}

struct PluginCallArguments {
    std::string plugin, kind, settings;
    std::string http, secrets, increase, decrease, remove;
    bool is_live = false;
    commands::OutputFormat format{};

    bool is_for_cloud() const {
        return is_live || !(http + secrets + increase + decrease + remove).empty();
    }
};

/// The change that the options ask for, if any; an error if they ask for several.
Result<std::optional<CloudChange>> change_of(const PluginCallArguments& arguments) {
    using What = CloudChange::What;
    std::optional<CloudChange> out;
    for (const auto& [what, text] : {std::pair(What::increase, &arguments.increase),
                                     std::pair(What::decrease, &arguments.decrease),
                                     std::pair(What::remove, &arguments.remove)}) {
        if (text->empty()) continue;
        if (out)
            return fail(ErrorCode::invalid_argument,
                        "use only one of --increase, --decrease and --remove");
        CAPSTAN_TRY(out, parse_change(what, *text));
    }
    return out;
}

int run_cloud_call(const autoscaler::LoadedPlugin& plugin, const commands::SettingsFile& settings,
                   const PluginCallArguments& arguments, commands::Streams streams) {
    auto recording = read_recording(arguments.http);
    if (!recording)
        return commands::refuse(streams, recording.error().message, commands::exit_usage);
    auto change = change_of(arguments);
    if (!change) return commands::refuse(streams, change.error().message, commands::exit_usage);
    const auto answer = call_cloud(plugin, settings,
                                   {.recording = *std::move(recording),
                                    .is_live = arguments.is_live,
                                    .secrets = arguments.secrets,
                                    .change = *std::move(change)});
    if (!answer) return commands::refuse(streams, answer.error().message, commands::exit_failed);
    commands::print_value(streams,
                          arguments.format == commands::OutputFormat::text
                              ? commands::OutputFormat::yaml
                              : arguments.format,
                          *answer);
    return commands::exit_ok;
}

void add_cloud_options(CLI::App& command, PluginCallArguments& arguments) {
    const auto add = [&](const char* name, std::string& to, const std::string& doc,
                         const char* type) {
        return commands::add_option(command, name, to, type, doc);
    };
    CLI::Option* const http = add("--http", arguments.http,
                                  std::string(commands::http_help) + " (cloud only)", "RECORDING");
    command.add_flag("--live", arguments.is_live, "Cloud only: send requests to the real API")
        ->excludes(http);
    add("--secrets", arguments.secrets,
        "Cloud only: folder with the secrets that the settings name (default: made-up secrets)",
        "DIR");
    add("--increase", arguments.increase, "Cloud only: grow a group (default: read only)",
        "GROUP=N");
    add("--decrease", arguments.decrease,
        "Cloud only: cancel machines that were requested and do not exist yet", "GROUP=N");
    add("--remove", arguments.remove, "Cloud only: remove a machine", "MACHINE");
    commands::add_output_format(command, arguments.format);
}

int run_call(const PluginCallArguments& arguments, commands::Streams streams) {
    const std::optional<CallKind> kind = find_call_kind(arguments.kind);
    if (!kind)
        return commands::refuse(streams, unknown_call_kind(arguments.kind), commands::exit_usage);
    if (arguments.is_for_cloud() && *kind != CallKind::cloud)
        return commands::refuse(
            streams,
            "--http, --live, --secrets, --increase, --decrease and --remove require --kind cloud",
            commands::exit_usage);
    const commands::PluginName name = commands::parse_plugin_name(arguments.plugin);
    plugin_runtime::plugin_files::LibraryRegistry registry;
    const auto library = registry.load(commands::given_file(name.file), {});
    if (!library) return commands::refuse(streams, library.error().message, commands::exit_failed);
    const auto plugin_class = choose_class(**library, name.class_id, kind_id_of(*kind));
    if (!plugin_class)
        return commands::refuse(streams, plugin_class.error().message, commands::exit_usage);
    auto settings = commands::read_settings(arguments.settings);
    if (!settings) return commands::refuse(streams, settings.error().message, commands::exit_usage);
    const auto plugin = commands::make_single(*library, *plugin_class, *settings);
    streams.err << settings->diagnostics.text();
    if (!plugin) return commands::exit_usage;
    return *kind == CallKind::cloud ? run_cloud_call(*plugin, *settings, arguments, streams)
                                    : ask_plugin(*plugin, *kind, streams);
}

}  // namespace

void add_plugin_call(CLI::App& parent, commands::Action& action) {
    const auto [command, arguments] = commands::add_command(
        parent, action, "call",
        "Call one hook of a plugin (JSON request on standard input, JSON response on standard "
        "output), or list the groups and machines of a cloud plugin",
        run_call);
    command
        .add_option("plugin", arguments.plugin,
                    "Plugin file, or FILE.so#CLASS if it has several classes")
        ->required();
    commands::add_option(
        command, "--kind", arguments.kind, "KIND",
        "Kind of the class: expander, similarity, splitter, group_source, controller or cloud")
        ->required();
    commands::add_option(command, "--settings", arguments.settings, "FILE.toml",
                         commands::settings_help);
    add_cloud_options(command, arguments);
}

}  // namespace capstan::plugin_tool
