#include "commands/explain_command.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/url.hpp>

#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/daemon/single_pass.hpp"
#include "autoscaler/dump/dump_pass.hpp"
#include "autoscaler/engine_settings.hpp"
#include "autoscaler/questions/explainer.hpp"
#include "commands/explain_report.hpp"
#include "commands/live_command.hpp"
#include "commands/loaded_dump.hpp"
#include "commands/options.hpp"
#include "commands/recorded_pass.hpp"
#include "config/text.hpp"
#include "io/curl_http_client.hpp"
#include "io/gzip.hpp"
#include "io/text_format.hpp"
#include "io/url.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

struct KindWords {
    std::string_view kind;
    std::array<std::string_view, 3> also;  ///< kubectl's other words for the kind
};

constexpr KindWords kind_words[] = {
    {"pod", {"pods", "po"}},
    {"group", {"groups", "nodegroup"}},
    {"node", {"nodes", "no"}},
    {"matrix", {}},
    {"deployment", {"deployments", "deploy", "deployment.apps"}},
    {"statefulset", {"statefulsets", "sts", "statefulset.apps"}},
    {"replicaset", {"replicasets", "rs", "replicaset.apps"}},
    {"job", {"jobs", "job.batch"}},
};

/// The kinds that `explain` takes, in the order of its help: "pod", "group", "node", "matrix",
/// "deployment", ...
std::vector<std::string> explained_kinds() {
    std::vector<std::string> out;
    for (const KindWords& each : kind_words) out.emplace_back(each.kind);
    return out;
}

/// Empty: `word` is not a kind.
std::string_view kind_of(std::string_view word) {
    for (const KindWords& each : kind_words)
        if (word == each.kind || (!word.empty() && std::ranges::count(each.also, word) > 0))
            return each.kind;
    return {};
}

Error unknown_kind(const std::string& word) {
    const std::vector<std::string> known = explained_kinds();
    const std::string meant = config::suggestion(word, known);
    return {ErrorCode::invalid_argument,
            "unknown kind '" + config::shortened(word, 60) + "'" +
                (meant.empty() ? "; known: " + config::joined_names(known) : meant)};
}

struct NamespacedName {
    std::string ns, name;
};

Result<NamespacedName> parse_name(const std::string& text, const std::string& ns) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return NamespacedName{ns.empty() ? "default" : ns, text};
    NamespacedName out{text.substr(0, slash), text.substr(slash + 1)};
    if (!ns.empty() && ns != out.ns)
        return fail(ErrorCode::invalid_argument,
                    "'" + text + "' is not in the namespace of --namespace, " + ns);
    if (out.ns.empty() || out.name.empty())
        return fail(ErrorCode::invalid_argument, "'" + text + "' is not NAMESPACE/NAME");
    return out;
}

/// Parses `KIND NAME`, `KIND/NAME` or `KIND` alone; takes kubectl's short and plural words as well
/// (`po`, `deployments`). A pod or workload is NS/NAME, or NAME in `ns`; if both give a namespace,
/// they have to agree. An empty `ns` means that none was given; the namespace is "default" then.
/// The error says what is wrong.
///     pod/web-1, "", "shop"  ->  the pod shop/web-1
Result<autoscaler::questions::Question> parse_question(const std::string& kind,
                                                       const std::string& name,
                                                       const std::string& ns) {
    std::string word = kind, subject = name;
    const std::size_t slash = kind.find('/');
    if (slash != std::string::npos && name.empty()) {
        word = kind.substr(0, slash);
        subject = kind.substr(slash + 1);
    }
    const std::string_view known = kind_of(word);
    if (known.empty()) return fail(unknown_kind(word));
    if (known == "matrix") {
        if (subject.empty()) return autoscaler::questions::Question{};
        return fail(ErrorCode::invalid_argument,
                    "'" + subject + "' was not expected: matrix covers all pods and groups");
    }
    if (subject.empty())
        return fail(ErrorCode::invalid_argument,
                    "the name of the " + std::string(known) + " is missing");
    if (known == "group") return autoscaler::questions::Question{.group = NodeGroupId(subject)};
    if (known == "node") return autoscaler::questions::Question{.node = subject};
    CAPSTAN_TRY(const NamespacedName full, parse_name(subject, ns));
    if (known == "pod")
        return autoscaler::questions::Question{.pod_ns = full.ns, .pod_name = full.name};
    return autoscaler::questions::Question{
        .pod_ns = full.ns,
        .workload_kind = std::string(autoscaler::daemon::workload_kind(known)),
        .workload_name = full.name};
}

std::string path_of(const autoscaler::daemon::AdminQuestion& question) {
    const auto part = [](const std::string& text) { return percent_encode(text); };
    std::string out = "/api/v2/explain/";
    if (!question.pod.empty()) {
        out += "pod/" + part(question.pod_ns) + "/" + part(question.pod);
    } else if (!question.workload.empty()) {
        out += std::string(autoscaler::daemon::workload_word(question.workload_kind)) + "/" +
               part(question.pod_ns) + "/" + part(question.workload);
    } else if (!question.node.empty()) {
        out += "node/" + part(question.node);
    } else if (!question.group.empty()) {
        out += "group/" + part(question.group);
    } else {
        out += "matrix";
    }
    return question.as_text ? out + "?format=text" : out;
}

/// The text of the file; empty if `file` is empty.
Result<std::string> read_file(const std::string& file) {
    if (file.empty()) return std::string();
    Result<std::string> text = io::read_text(file);
    if (!text) return fail(ErrorCode::invalid_argument, text.error().message);
    if (io::is_blank(*text))
        return fail(ErrorCode::invalid_argument, file + ": " + std::string(io::empty_file));
    return text;
}

/// The message of an error reply: that of {"error":"..."}, or the first line if the reply is not a
/// daemon's.
std::string sentence_of(const HttpReply& reply) {
    boost::system::error_code error;
    const json::value body = json::parse(reply.body, error);
    const json::object* const object = error ? nullptr : body.if_object();
    const json::value* const text = object == nullptr ? nullptr : object->if_contains("error");
    if (text != nullptr && text->is_string()) return std::string(text->as_string());
    std::string_view line =
        std::string_view(reply.body).substr(0, reply.body.find_first_of("\r\n"));
    if (io::recognize_format(reply.body) == "HTML")
        line = "an HTML page; is this the admin port of capstan run?";
    return "HTTP status " + std::to_string(reply.status) +
           (line.empty() ? "" : ": " + config::shortened(line, 120));
}

Result<HttpReply> send_and_await(HttpRequest request, std::string ca_pem) {
    boost::asio::io_context io;
    io::CurlHttpClient client(io, {.tls = {.ca_pem = std::move(ca_pem)}});
    std::optional<Result<HttpReply>> out;
    client.send(std::move(request), [&](Result<HttpReply> reply) {
        out = std::move(reply);
        io.stop();
    });
    io.run();
    CAPSTAN_ASSERT(out, "the client has not answered the request");
    return *std::move(out);
}

/// Asks the daemon of `input.server`.
Result<std::string> ask_daemon(const ExplainInput& input,
                               const autoscaler::daemon::AdminQuestion& question) {
    const std::string path = path_of(question);
    CAPSTAN_TRY(std::string ca_pem, read_file(input.ca_file));
    CAPSTAN_TRY(std::string token, read_file(input.token_file));
    const std::string base = input.server.ends_with('/')
                                 ? input.server.substr(0, input.server.size() - 1)
                                 : input.server;
    CAPSTAN_CHECK(io::parse_url(base).map_error(
        [&](Error e) { return within("--server " + base, std::move(e)); }));
    HttpRequest request("GET", base + path);
    // The daemon answers only after the pass that is running.
    request.within(std::chrono::minutes(2));
    while (token.ends_with('\n')) token.pop_back();
    if (!token.empty()) request.header("authorization", "Bearer " + token);
    CAPSTAN_TRY(HttpReply reply, send_and_await(std::move(request), std::move(ca_pem)));
    if (reply.status == 200) return std::move(reply.body);
    return fail(ErrorCode::unavailable, base + ": " + sentence_of(reply));
}

/// Decides one pass now, as the daemon of that choice would, and answers the question about
/// it. Warnings go to `err`.
Result<std::string> ask_cluster(const LiveChoice& choice,
                                const autoscaler::daemon::AdminQuestion& question,
                                std::ostream& err) {
    std::signal(SIGPIPE, SIG_IGN);
    const auto loaded_or = load_live_config(choice, err);
    if (!loaded_or) {
        err << loaded_or.error().message;
        return fail(ErrorCode::invalid_config, choice.config + " has errors");
    }
    const auto& loaded = *loaded_or;
    const std::uint64_t seed = random_seed();
    CAPSTAN_TRY(
        const auto host,
        autoscaler::PluginHost::start(
            loaded->config, loaded->plugins,
            {.seed = seed, .version = CAPSTAN_VERSION, .has_cluster = true, .is_dry_run = true}));
    CAPSTAN_TRY(const auto pass,
                autoscaler::daemon::decide_single_pass(loaded->config, *host,
                                                       {.version = CAPSTAN_VERSION, .seed = seed}));
    return explain_pass(*pass, question);
}

/// Names the machine of the node as the dump does.
void name_as_in_dump(autoscaler::questions::Explained& explained, const ProviderIds& provider_ids) {
    std::optional<engine::pass::NodeMachine>& of = explained.answer.machine;
    if (!of || !of->machine) return;
    const auto id = provider_ids.find(of->machine->id.value());
    if (id != provider_ids.end()) of->machine->id = MachineId(id->second);
}

}  // namespace

int print_answer(const ExplainArguments& arguments,
                 Result<autoscaler::questions::Explained> explained,
                 const ProviderIds& provider_ids, Streams streams) {
    if (!explained) return refuse(streams, explained.error().message, exit_failed);
    name_as_in_dump(*explained, provider_ids);
    if (arguments.format == OutputFormat::text) {
        print_explained(streams.out, *explained, arguments.is_wide);
    } else {
        print_value(streams, arguments.format, explained_json(*explained));
    }
    return exit_ok;
}

namespace {

int explain_recorded(const ExplainArguments& arguments, Streams streams) {
    const ExplainInput& input = arguments.input;
    if (!arguments.at.empty())
        return refuse(streams, "--at: not allowed with a recorded pass", exit_usage);
    const auto pass = open_recorded_pass(input.recorded, input.config, input.set, streams.err);
    if (!pass) return refuse(streams, pass.error());
    autoscaler::questions::Explainer explainer(arguments.question);
    explainer.take_last(pass->input);
    explainer.finish();
    return print_answer(arguments, explainer.result(), {}, streams);
}

/// Explains the dump as it is: no pending pod has been placed, and nothing was carried out.
int explain_dump(const ExplainArguments& arguments, Streams streams) {
    const ExplainInput& input = arguments.input;
    const std::optional<LoadedDump> loaded =
        load_dump({input.cluster, input.config, input.set}, false, streams.err);
    if (!loaded) return exit_usage;
    const config::Config& config = loaded->prepared->sound_config();
    autoscaler::questions::Question question = arguments.question;
    question.untried_default_spread =
        autoscaler::make_default_spread(config.scale_up.default_spread);
    autoscaler::questions::Explainer explainer(question);
    const auto pass = autoscaler::dump::decide_on_dump(loaded->dump, config,
                                                       loaded->prepared->plugins, CAPSTAN_VERSION);
    if (!pass) return refuse(streams, pass.error());
    explainer.take_last((*pass)->report->input);
    explainer.finish();
    return print_answer(arguments, explainer.result(), loaded->dump.provider_ids, streams);
}

/// Prints the response of a daemon, or the result of a pass on a live cluster.
int ask_live(const ExplainArguments& arguments, Streams streams) {
    const autoscaler::questions::Question& question = arguments.question;
    const bool is_text = arguments.format == OutputFormat::text;
    const autoscaler::daemon::AdminQuestion asked{.pod_ns = question.pod_ns,
                                                  .pod = question.pod_name,
                                                  .workload_kind = question.workload_kind,
                                                  .workload = question.workload_name,
                                                  .node = question.node,
                                                  .group = question.group.value(),
                                                  .as_text = is_text};
    const ExplainInput& input = arguments.input;
    const Result<std::string> answer =
        input.live ? ask_cluster({input.config, input.set, arguments.cluster}, asked, streams.err)
                   : ask_daemon(input, asked);
    if (!answer) return refuse(streams, answer.error());
    if (is_text) {
        streams.out << *answer;
        return exit_ok;
    }
    boost::system::error_code error;
    const json::value value = json::parse(*answer, error);
    if (error) return refuse(streams, input.server + ": the response is not JSON", exit_failed);
    print_value(streams, arguments.format, value);
    return exit_ok;
}

/// Sets the input option that fits the file.
void take_explained_file(ExplainInput& input, const std::string& file) {
    switch (recognize_file(file)) {
        case InputFile::dump: input.cluster = file; break;
        case InputFile::recorded_pass: input.recorded = file; break;
        case InputFile::scenario: input.scenario = file; break;
    }
}

int run_explain(ExplainArguments arguments, ExplainOverTime over_time, Streams streams) {
    if (!arguments.input.file.empty()) take_explained_file(arguments.input, arguments.input.file);
    if (!arguments.at.empty()) {
        const Result<Duration> after = parse_duration(arguments.at);
        arguments.moment = find_rfc3339(arguments.at);
        if (!arguments.moment && (!after || *after < Duration(0)))
            return refuse(streams,
                          "--at: expected a duration such as \"20m\" or a time such as "
                          "\"2026-11-21T10:50:00Z\"",
                          exit_usage);
        if (!arguments.moment) arguments.after = *after;
    }
    if (arguments.input.live || !arguments.input.server.empty())
        return ask_live(arguments, streams);
    if (!arguments.input.recorded.empty()) return explain_recorded(arguments, streams);
    if (!arguments.input.cluster.empty() && arguments.at.empty())
        return explain_dump(arguments, streams);
    return over_time(arguments, streams);
}

void add_subject(CLI::App& command, ExplainArguments& arguments) {
    add_option(command, "kind", arguments.kind, "KIND[/NAME]",
               "Kind of object: " + config::joined_names(explained_kinds()))
        ->required();
    add_option(command, "name", arguments.name, "NAME",
               "Object name or unique prefix; omit for matrix");
    add_option(command, "-n,--namespace", arguments.ns, "NAMESPACE",
               "Namespace of the pod or workload (default: default); NAMESPACE/NAME also works");
}

void add_explain_input(CLI::App& command, ExplainInput& input) {
    CLI::Option_group& kinds = add_input_options(command, input);
    add_option(kinds, "-f,--filename", input.file, "FILE",
               "Scenario, cluster dump or recorded pass; the file type is detected");
    add_option(kinds, "--scenario", input.scenario, "SCENARIO.toml", "Scenario file");
    add_option(kinds, "--recorded", input.recorded, "FILE.json",
               "Pass recorded by `run --record` or `simulate --record`");
    CLI::Option& server =
        *add_option(kinds, "--server", input.server, "URL",
                    "Running daemon, by the URL of its admin port: http://HOST:8085");
    kinds
        .add_flag("--live", input.live,
                  "Run one dry pass on the live cluster of --config; no daemon needed")
        ->needs(command.get_option("--config"));
    add_option(command, "--token-file", input.token_file, "FILE",
               "With --server: file with a bearer token")
        ->needs(&server);
    add_option(command, "--ca-file", input.ca_file, "FILE",
               "With --server: file with its certificate authority (PEM)")
        ->needs(&server);
}

}  // namespace

CLI::App& define_explain(CLI::App& parent, Action& action, ExplainOverTime over_time) {
    CLI::App& command = *parent.add_subcommand(
        "explain",
        "Explain why pods are not scheduled, why a node is not removed, why a group cannot grow, "
        "or all pending pods against all groups (matrix)");
    auto arguments = std::make_shared<ExplainArguments>();
    add_subject(command, *arguments);
    add_explain_input(command, arguments->input);
    CLI::Option& at =
        *add_option(command, "--at", arguments->at, "DURATION|TIME",
                    "Explain the state at this time after the start, or, of a "
                    "dump, at this time of day (default: the dump's time, or the end of "
                    "the scenario or trace)");
    for (const char* other : {"--recorded", "--server", "--live"})
        at.excludes(command.get_option(other));
    add_cluster_choice(command, arguments->cluster, ClusterDefault::configuration);
    for (const char* option : {"--kubeconfig", "--context"})
        command.get_option(option)->needs(command.get_option("--live"));
    add_output_format(command, arguments->format, &arguments->is_wide);
    command.callback([&action, arguments, over_time] {
        Result<autoscaler::questions::Question> question =
            parse_question(arguments->kind, arguments->name, arguments->ns);
        if (!question) throw CLI::ValidationError(question.error().message);
        arguments->question = *std::move(question);
        action = [arguments, over_time](Streams streams) {
            return run_explain(*arguments, over_time, streams);
        };
    });
    return command;
}

void add_explain(CLI::App& parent, Action& action) {
    // The simulator is in another program, which parses the same arguments.
    define_explain(parent, action, [](const ExplainArguments&, Streams streams) {
        const Error error = (*streams.hand_over)(simulate_command.program);
        return refuse(streams, within("explain", error).message, exit_failed);
    });
}

}  // namespace capstan::commands
