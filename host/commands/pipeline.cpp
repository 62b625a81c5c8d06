#include <boost/json.hpp>

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/record/json_reader.hpp"
#include "commands/loaded_pipeline.hpp"
#include "commands/options.hpp"
#include "commands/pipeline_report.hpp"
#include "commands/result_output.hpp"
#include "commands/sample_request.hpp"
#include "io/gzip.hpp"

namespace capstan::commands {
namespace {

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
    CAPSTAN_TRY(const boost::json::value document, autoscaler::record::parse_json(text, name));
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
        boost::json::object out = pipeline_json(prepared->config(), prepared->plugins);
        out["answer"] = answer_json(*request, *answer);
        print_value(streams, arguments.format, out);
    } else {
        print_pipeline(streams.out, prepared->config(), prepared->plugins);
        print_answer(streams.out, *request, *answer);
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
