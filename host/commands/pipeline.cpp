#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/plugin_set.hpp"
#include "autoscaler/record/json_reader.hpp"
#include "autoscaler/wiring.hpp"
#include "commands/call_request.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/table.hpp"
#include "engine/scale_up/expander_chain.hpp"
#include "engine/scale_up/price_parity.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "engine/templates/well_known_labels.hpp"
#include "io/gzip.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"

namespace capstan::commands {

/// examples/question.json, embedded at build time.
extern const std::string_view sample_request;

namespace {

namespace json = boost::json;

// One question put to a whole pipeline: the expander chain chooses an option, similarity checks
// find similar groups, and the splitter distributes the nodes.

struct Growth {
    NodeGroupId group;
    int from = 0;  ///< current target; 0 if the question does not give it
    int by = 0;
};

struct PipelineAnswer {
    engine::scale_up::Choice choice;
    /// One sentence for each group of the question that was compared.
    std::vector<std::string> similar;
    std::vector<Growth> increases;  ///< by group id; only groups that grow
    std::string split_error;        ///< empty: none
    /// "acme_score: filter is skipped: ...", see skipped_hook_text.
    std::vector<std::string> left_out;
};

/// One line of the pipeline: a role and the instance that fills it.
struct Role {
    std::string role;
    const autoscaler::LoadedPlugin* plugin;
    std::string on_error;  ///< "error: skip, empty: skip"; expanders only
};

std::string failure_policy_name(std::optional<config::StageFailurePolicy> t) {
    return t ? std::string(names_of(*t)[static_cast<std::size_t>(*t)]) : "default";
}

std::vector<Role> roles_of(const config::Config& config, const autoscaler::PluginSet& plugins) {
    std::vector<Role> roles;
    const auto add_role = [&](std::string role, const PluginInstanceId& id,
                              std::string on_error = {}) {
        const auto found =
            std::ranges::find(plugins, id, [](const auto& p) { return p.config.id; });
        if (found != plugins.end())
            roles.push_back({std::move(role), &*found, std::move(on_error)});
    };
    const auto list = [&](const std::string& role, const std::vector<PluginInstanceId>& ids) {
        for (std::size_t i = 0; i < ids.size(); ++i)
            add_role(role + " " + std::to_string(i + 1), ids[i]);
    };
    const config::Pipeline& pipeline = config.pipeline;
    list("cloud", pipeline.clouds);
    for (std::size_t i = 0; i < pipeline.scale_up.expanders.size(); ++i) {
        const config::Stage& stage = pipeline.scale_up.expanders[i];
        add_role("expander " + std::to_string(i + 1), stage.use,
                 "error: " + failure_policy_name(stage.on_error) +
                     ", empty: " + failure_policy_name(stage.on_empty));
    }
    list("similarity", pipeline.scale_up.similarity);
    add_role("splitter", pipeline.scale_up.splitter);
    list("group source", pipeline.scale_up.group_sources);
    list("controller", pipeline.controllers);
    return roles;
}

std::string file_name_of(const autoscaler::LoadedPlugin& plugin) {
    const std::filesystem::path& path = plugin.library->facts().path;
    return plugin.config.shipped ? (path.parent_path().filename() / path.filename()).string()
                                 : path.string();
}

std::string calls_of(const plugin_runtime::plugin_files::ClassInfo& c) {
    return std::string(c.concurrency == plugin_runtime::plugin_files::Concurrency::parallel
                           ? "parallel"
                           : "serial") +
           (c.is_pure ? ", pure" : "");
}

std::uint32_t pods_in(const engine::ScaleUpQuestion& question) {
    std::uint32_t pods = 0;
    for (const PodEquivalenceGroup& c : question.pods) pods += c.count;
    return pods;
}

void print_pipeline(std::ostream& out, const config::Config& config,
                    const autoscaler::PluginSet& plugins) {
    std::vector<std::vector<std::string>> rows{
        {"ROLE", "INSTANCE", "CLASS", "VERSION", "FILE", "CALLS", "ON FAILURE"}};
    for (const Role& s : roles_of(config, plugins)) {
        rows.push_back({s.role, s.plugin->config.id.value(), std::string(s.plugin->plugin_class.id),
                        s.plugin->library->facts().note.version, file_name_of(*s.plugin),
                        calls_of(s.plugin->plugin_class), s.on_error});
    }
    print_table(out, rows);
}

void print_pipeline_answer(std::ostream& out, const ExpanderRequest& request,
                           const PipelineAnswer& answer) {
    out << "\nREQUEST   " << pods_in(request.question) << " pending pods, "
        << request.question.options.size() << " options, " << request.question.cluster_nodes
        << " nodes in the cluster, seed " << request.seed << '\n';
    for (const std::string& sentence : answer.left_out) out << "\n! " << sentence << '\n';
    out << "\nCHAIN\n";
    for (const engine::StageVerdict& stage : answer.choice.stages) {
        out << "  " << stage.summary << '\n';
        for (const std::string& sentence : stage.sentences) out << "    " << sentence << '\n';
    }
    out << "\nCHOICE    " << answer.choice.because << '\n';
    if (!answer.similar.empty()) out << "\nSIMILAR\n";
    for (const std::string& sentence : answer.similar) out << "  " << sentence << '\n';
    if (!answer.split_error.empty()) out << "\nSPLIT     failed: " << answer.split_error << '\n';
    if (!answer.increases.empty()) out << "\nSPLIT\n";
    for (const Growth& g : answer.increases) {
        out << "  increase " << g.group << " by " << g.by << ": " << g.from << " -> "
            << g.from + g.by << '\n';
    }
}

/// {"stages":[{"role","use","class","plugin","version","file","sha256"}]}
json::object pipeline_json(const config::Config& config, const autoscaler::PluginSet& plugins) {
    json::array stages;
    for (const Role& s : roles_of(config, plugins)) {
        const plugin_runtime::plugin_files::PluginFacts& facts = s.plugin->library->facts();
        json::object stage{{"role", s.role},
                           {"use", s.plugin->config.id.value()},
                           {"class", s.plugin->plugin_class.id},
                           {"plugin", facts.note.plugin_id},
                           {"version", facts.note.version},
                           {"file", facts.path.string()},
                           {"sha256", facts.sha256}};
        stages.push_back(std::move(stage));
    }
    return {{"stages", std::move(stages)}};
}

/// {"chosen":"web-a","because":"...","stages":[...],"similar":[...],"increases":{"web-a":2},
/// "left_out":[]}, and "split_error" if the splitter failed.
json::object answer_json(const ExpanderRequest& request, const PipelineAnswer& answer) {
    json::array stages;
    for (const engine::StageVerdict& v : answer.choice.stages) {
        json::array kept;
        for (const NodeGroupId& id : v.kept) kept.emplace_back(id.value());
        json::object stage{{"stage", v.stage},
                           {"shown", v.shown},
                           {"kept", std::move(kept)},
                           {"summary", v.summary},
                           {"explain", json::value_from(v.sentences)}};
        if (v.error) stage["error"] = v.error->message;
        stages.push_back(std::move(stage));
    }
    json::object increases;
    for (const Growth& g : answer.increases) increases[g.group.value()] = g.by;
    json::object out{{"chosen", nullptr},
                     {"because", answer.choice.because},
                     {"stages", std::move(stages)},
                     {"similar", json::value_from(answer.similar)},
                     {"increases", std::move(increases)},
                     {"left_out", json::value_from(answer.left_out)}};
    if (answer.choice.option)
        out["chosen"] = request.question.options[*answer.choice.option].group.id.value();
    if (!answer.split_error.empty()) out["split_error"] = answer.split_error;
    return out;
}

std::string_view word_for(SimilarityVerdict verdict) {
    return verdict == SimilarityVerdict::differs ? "differs" : "is similar";
}

/// `option` has a template.
engine::scale_up::Offering offering_of(const ScaleUpOption& option) {
    return {.group = option.group.id,
            .is_spot = engine::templates::is_spot(option.node->labels),
            .price_per_hour = option.price_per_hour};
}

/// The chosen group and those of its listed similar groups that the checks confirm.
std::vector<NodeGroup> groups_to_share(const engine::ScaleUpQuestion& question,
                                       const ScaleUpOption& chosen,
                                       const autoscaler::PassPolicies& policies,
                                       const engine::CallContext& call_context, bool across_prices,
                                       std::vector<std::string>& sentences) {
    std::vector<NodeGroup> groups{chosen.group};
    for (const ScaleUpOption& other : question.options) {
        if (std::ranges::find(chosen.similar, other.group.id) == chosen.similar.end()) continue;
        if (!chosen.node || !other.node) continue;
        Similarity s = engine::scale_up::compare(policies.similarity(), *chosen.node, *other.node,
                                                 call_context);
        const auto gap = engine::scale_up::find_price_gap(offering_of(chosen), offering_of(other));
        if (gap && !across_prices && s.verdict != SimilarityVerdict::differs) s = differs(*gap);
        sentences.push_back(other.group.id.value() + " " + std::string(word_for(s.verdict)) + ": " +
                            s.because);
        if (s.verdict != SimilarityVerdict::differs) groups.push_back(other.group);
    }
    std::ranges::sort(groups, {}, &NodeGroup::id);
    return groups;
}

Result<PipelineAnswer> ask_stages(
    const autoscaler::Wiring& wiring, const ExpanderRequest& request, bool across_prices,
    plugin_runtime::instances::PassWatch& watch,
    const std::shared_ptr<autoscaler::policies::ExpanderAnswers>& answers) {
    CAPSTAN_TRY(const autoscaler::PassPolicies policies,
                autoscaler::PassPolicies::make(wiring, watch, answers));
    const engine::CallContext call_context{.seed = request.seed, .dry_run = true};
    PipelineAnswer out;
    out.choice = engine::scale_up::choose(policies.chain(), request.question, call_context);
    if (!out.choice.option) return out;
    const ScaleUpOption& chosen = request.question.options[*out.choice.option];
    const std::vector<NodeGroup> groups = groups_to_share(request.question, chosen, policies,
                                                          call_context, across_prices, out.similar);
    const Result<std::vector<int>> shares =
        policies.splitter().split(chosen.nodes, groups, call_context);
    if (!shares) {
        out.split_error = shares.error().message;
        return out;
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if ((*shares)[i] > 0)
            out.increases.push_back({groups[i].id, groups[i].target.value_or(0), (*shares)[i]});
    }
    return out;
}

/// Asks on a watched thread, as a pass does. `host` provides the services of the instances.
Result<PipelineAnswer> ask_pipeline(autoscaler::PluginHost& host, const autoscaler::Wiring& wiring,
                                    const ExpanderRequest& request, bool balance_across_prices) {
    const auto answers = std::make_shared<autoscaler::policies::ExpanderAnswers>(
        std::vector<autoscaler::policies::ExpanderAnswer>(), autoscaler::asking(host));
    // Captured by value: an abandoned thread may use these until the process ends.
    const std::function<Result<PipelineAnswer>(plugin_runtime::instances::PassWatch&)> pass =
        [wiring, request, balance_across_prices,
         answers](plugin_runtime::instances::PassWatch& watch) {
            return ask_stages(wiring, request, balance_across_prices, watch, answers);
        };
    auto watched = plugin_runtime::instances::run_watched(pass);
    if (!watched.result) return watched.result;
    for (const plugin_runtime::instances::SkippedHook& miss : watched.skipped_hooks)
        watched.result->left_out.push_back(plugin_runtime::instances::skipped_hook_text(miss));
    return watched.result;
}

struct PipelineArguments {
    std::string config;
    OutputFormat format{};
    std::string question;
};

Result<std::string> question_text(const std::string& file, std::istream& in) {
    if (file.empty()) return std::string(sample_request);
    if (file == "-") return autoscaler::record::read_all(in);
    return io::read_text(file);
}

Result<ExpanderRequest> read_question(const std::string& file, std::istream& in) {
    const std::string name = file.empty()  ? "built-in request"
                             : file == "-" ? "standard input"
                                           : file;
    CAPSTAN_TRY(const std::string text, question_text(file, in));
    CAPSTAN_TRY(const json::value document, autoscaler::record::parse_json(text, name));
    kubernetes::JsonProblems problems(document);
    ExpanderRequest request = decode_expander_request(problems.root());
    if (!problems.empty())
        return fail(ErrorCode::invalid_argument, autoscaler::record::problems_text(problems, name));
    return request;
}

Result<PipelineAnswer> start_and_ask(const LoadedPipeline& prepared,
                                     const ExpanderRequest& request) {
    CAPSTAN_TRY(
        const auto host,
        autoscaler::PluginHost::start(
            prepared.config(), prepared.plugins,
            {.seed = request.seed, .version = CAPSTAN_VERSION, .breadcrumbs = {}, .state = {}}));
    CAPSTAN_TRY(const autoscaler::Wiring wiring,
                autoscaler::wire(prepared.config().pipeline, *host));
    return ask_pipeline(*host, wiring, request, prepared.config().scale_up.balance_across_prices);
}

int run_pipeline(const PipelineArguments& arguments, Streams streams) {
    const auto request = read_question(arguments.question, streams.in);
    if (!request) return refuse(streams, request.error().message, exit_usage);
    const auto prepared = load_pipeline(arguments.config);
    streams.err << prepared->loaded.diagnostics.text();
    if (!prepared->is_sound()) return exit_usage;
    const auto answer = start_and_ask(*prepared, *request);
    if (!answer) return refuse(streams, answer.error().message, exit_failed);

    if (arguments.format != OutputFormat::text) {
        json::object out = pipeline_json(prepared->config(), prepared->plugins);
        out["answer"] = answer_json(*request, *answer);
        print_value(streams, arguments.format, out);
    } else {
        print_pipeline(streams.out, prepared->config(), prepared->plugins);
        print_pipeline_answer(streams.out, *request, *answer);
    }
    return exit_ok;
}

}  // namespace

void add_pipeline(CLI::App& parent, Action& action) {
    const auto [command, arguments] =
        add_command(parent, action, "pipeline",
                    "Load a configuration and its plugins, print which plugin decides "
                    "what, and send them a scale-up request",
                    run_pipeline);
    add_config_file(command, arguments.config);
    add_option(command, "--ask", arguments.question, "FILE.json",
               "Request file, as for `plugin call --kind expander`; -: standard input "
               "(default: a built-in request)");
    add_output_format(command, arguments.format);
}

}  // namespace capstan::commands
