#include <algorithm>

#include <CLI/CLI.hpp>

#include "commands/call_command.hpp"
#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/single_plugin.hpp"
#include "runtime/instances/pass_runner.hpp"
#include "runtime/instances/policies.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::commands {
namespace {

using runtime::PassWatch;
using Instance = std::shared_ptr<runtime::PluginInstance>;

/// Asks under the eyes of a watch: a hook that overruns is abandoned and becomes an error.
/// Everything the question needs is copied, for an abandoned thread keeps it.
template <class Policy, class R>
Result<R> ask_watched(const Instance& instance, const std::function<Result<R>(Policy&)>& question) {
    const std::function<Result<R>(PassWatch&)> pass = [instance,
                                                       question](PassWatch& watch) -> Result<R> {
        CAPSTAN_TRY(const std::unique_ptr<Policy> policy, Policy::make(instance, watch));
        return question(*policy);
    };
    return runtime::run_watched(pass).result;
}

class WatchedExpander final : public engine::Expander {
public:
    explicit WatchedExpander(Instance instance) : instance_(std::move(instance)) {}
    Result<engine::Narrowing> filter(const engine::ScaleUpQuestion& question,
                                     std::span<const std::uint32_t> among,
                                     const engine::Circumstances& circumstances) override {
        return ask_watched<runtime::PluginExpander, engine::Narrowing>(
            instance_,
            [question, indices = std::vector(among.begin(), among.end()), circumstances](
                auto& expander) { return expander.filter(question, indices, circumstances); });
    }

private:
    Instance instance_;
};

class WatchedSimilarity final : public engine::SimilarityCheck {
public:
    explicit WatchedSimilarity(Instance instance) : instance_(std::move(instance)) {}
    Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                               const engine::Circumstances& circumstances) override {
        return ask_watched<runtime::PluginSimilarity, Similarity>(
            instance_,
            [a, b, circumstances](auto& check) { return check.similar(a, b, circumstances); });
    }
    bool may_decide() const override { return true; }
    Result<std::uint64_t> bucket(const NodeTemplate& node,
                                 const engine::Circumstances& circumstances) override {
        return ask_watched<runtime::PluginSimilarity, std::uint64_t>(
            instance_,
            [node, circumstances](auto& check) { return check.bucket(node, circumstances); });
    }

private:
    Instance instance_;
};

class WatchedSplitter final : public engine::Splitter {
public:
    explicit WatchedSplitter(Instance instance) : instance_(std::move(instance)) {}
    Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                   const engine::Circumstances& circumstances) override {
        return ask_watched<runtime::PluginSplitter, std::vector<int>>(
            instance_,
            [nodes, copies = std::vector(groups.begin(), groups.end()), circumstances](
                auto& splitter) { return splitter.split(nodes, copies, circumstances); });
    }

private:
    Instance instance_;
};

/// The named class, or the only one of the kind.
Result<runtime::ClassInfo> choose_class(const runtime::PluginLibrary& library,
                                        const std::string& name, std::string_view kind) {
    if (!name.empty()) {
        CAPSTAN_TRY(const runtime::ClassInfo found, runtime::find_class(library, name));
        if (found.kind == kind) return found;
        return fail(ErrorCode::invalid_argument,
                    "class " + name + " is of kind " + std::string(found.kind));
    }
    const auto of_kind = [kind](const runtime::ClassInfo& c) { return c.kind == kind; };
    const auto classes = library.classes();
    const auto found = std::ranges::count_if(classes, of_kind);
    if (found == 1) return *std::ranges::find_if(classes, of_kind);
    std::string all;
    for (const runtime::ClassInfo& c : classes) {
        all += (all.empty() ? "" : ", ") + std::string(c.id) + " (" + std::string(c.kind) + ")";
    }
    const std::string why = found == 0 ? "the file has no class of kind " + std::string(kind)
                                       : "name one of several classes, as FILE.so#CLASS";
    return fail(ErrorCode::invalid_argument, why + "; there is " + all);
}

int ask_plugin(const runtime::LoadedPlugin& plugin, CallKind kind, Streams streams) {
    // It gets a host with a cluster, for each question.
    if (kind == CallKind::controller)
        return call({.kind = kind,
                     .controller =
                         [&plugin](const ControllerRequest& request) {
                             return call_controller(plugin, request);
                         }},
                    streams.in, streams.out, streams.err);
    runtime::Config config;
    config.log.level = runtime::LogLevel::warn;
    auto host = runtime::PluginHost::start(
        config, {plugin}, {.seed = 0, .version = CAPSTAN_VERSION, .breadcrumbs = {}, .state = {}});
    if (!host) {
        streams.err << "capstan: " << host.error().message << '\n';
        return exit_failed;
    }
    const Instance instance = (*host)->instances().front();
    WatchedExpander expander(instance);
    WatchedSimilarity similarity(instance);
    WatchedSplitter splitter(instance);
    const auto suggest = [&instance](const GroupsRequest& request) {
        return ask_watched<runtime::PluginGroupSource, engine::GroupsAnswer>(
            instance, [request](auto& source) {
                std::vector<engine::GroupsQuestion::Existing> existing;
                return source.suggest(request.question(existing), {});
            });
    };
    return call({.kind = kind,
                 .expander = &expander,
                 .similarity = &similarity,
                 .splitter = &splitter,
                 .group_source = suggest},
                streams.in, streams.out, streams.err);
}

struct PluginCallArguments {
    std::string plugin, kind, settings;
};

int run_call(const PluginCallArguments& arguments, Streams streams) {
    const std::optional<CallKind> kind = find_call_kind(arguments.kind);
    if (!kind) return refuse(streams, unknown_call_kind(arguments.kind), exit_usage);
    const PluginName name = parse_plugin_name(arguments.plugin);
    runtime::LibraryRegistry registry;
    const auto library = registry.load(
        {.file = name.file, .sha256 = {}, .origin = runtime::PathOrigin::command_line}, {});
    if (!library) return refuse(streams, library.error().message, exit_failed);
    const auto plugin_class = choose_class(**library, name.class_id, kind_id_of(*kind));
    if (!plugin_class) return refuse(streams, plugin_class.error().message, exit_usage);
    auto settings = read_settings(arguments.settings);
    if (!settings) return refuse(streams, settings.error().message, exit_usage);
    const auto plugin = make_single(*library, *plugin_class, *settings);
    streams.err << settings->diagnostics.text();
    return plugin ? ask_plugin(*plugin, *kind, streams) : exit_usage;
}

}  // namespace

void add_plugin_call(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand("call",
                                               "Ask one decision hook of one plugin a question: "
                                               "JSON on standard input, JSON on standard output");
    auto arguments = std::make_shared<PluginCallArguments>();
    command
        .add_option("plugin", arguments->plugin, "FILE.so, or FILE.so#CLASS where it has several")
        ->required();
    command
        .add_option("--kind", arguments->kind,
                    "expander, similarity, splitter, group_source or controller")
        ->required()
        ->type_name("KIND");
    command
        .add_option("--settings", arguments->settings,
                    "A TOML file with the instance's settings at its top level")
        ->type_name("FILE.toml");
    command.callback([&action, arguments] {
        action = [arguments](Streams streams) { return run_call(*arguments, streams); };
    });
}

}  // namespace capstan::commands
