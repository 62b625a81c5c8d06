#include "plugin_tool/call_command.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <boost/json.hpp>

#include <capstan/abi/cloud.h>
#include <capstan/abi/controller.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>
#include <capstan/sentence.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "commands/call_request.hpp"
#include "commands/command_line.hpp"
#include "commands/value_text.hpp"
#include "config/text.hpp"

namespace capstan::plugin_tool {
namespace {

constexpr std::string_view input = "standard input";

struct KindName {
    CallKind kind;
    std::string_view name, id;
};
constexpr std::array<KindName, 6> kinds{
    {{CallKind::expander, "expander", CAPSTAN_KIND_EXPANDER},
     {CallKind::similarity, "similarity", CAPSTAN_KIND_SIMILARITY},
     {CallKind::splitter, "splitter", CAPSTAN_KIND_SPLITTER},
     {CallKind::controller, "controller", CAPSTAN_KIND_CONTROLLER},
     {CallKind::group_source, "group_source", CAPSTAN_KIND_GROUP_SOURCE},
     {CallKind::cloud, "cloud", CAPSTAN_KIND_CLOUD}}};

Result<std::string> ask_policy(engine::Expander& expander,
                               const commands::ExpanderRequest& request) {
    // An expander is never asked to choose among zero options.
    if (request.question.options.empty())
        return answer_of(request, {{}, {"there is no option to choose from"}});
    std::vector<std::uint32_t> among(request.question.options.size());
    std::iota(among.begin(), among.end(), 0u);
    CAPSTAN_TRY(const engine::FilterResult kept,
                expander.filter(request.question, among, {.seed = request.seed}));
    return answer_of(request, kept);
}

Result<std::string> ask_policy(engine::SimilarityCheck& check,
                               const commands::SimilarityRequest& request) {
    CAPSTAN_TRY(const Similarity similarity, check.similar(request.a, request.b, {}));
    return answer_of(similarity);
}

Result<std::string> ask_policy(engine::Splitter& splitter,
                               const commands::SplitterRequest& request) {
    CAPSTAN_TRY(const std::vector<int> growth, splitter.split(request.nodes, request.groups, {}));
    return answer_of(request, growth);
}

int refuse_input(std::ostream& err, std::string_view why) {
    err << why << (why.ends_with('\n') ? "" : "\n");
    return commands::exit_usage;
}

/// Decodes the document, asks the policy, prints the answer.
template <class Policy, class Decode>
int answer_call(Policy& policy, Decode decode, const boost::json::value& document,
                std::ostream& out, std::ostream& err) {
    kubernetes::JsonProblems problems(document);
    const auto request = decode(problems.root());
    if (!problems.empty())
        return refuse_input(err, autoscaler::record::problems_text(problems, input));
    const Result<std::string> answered = ask_policy(policy, request);
    out << (answered ? *answered : answer_of(answered.error())) << '\n';
    return answered ? commands::exit_ok : commands::exit_failed;
}

int answer_controller(const CallArguments& arguments, const boost::json::value& document,
                      std::ostream& out, std::ostream& err) {
    kubernetes::JsonProblems problems(document);
    const ControllerRequest request = decode_controller_request(problems.root(), document);
    if (!problems.empty())
        return refuse_input(err, autoscaler::record::problems_text(problems, input));
    const Result<ControllerAnswer> answered = arguments.controller(request);
    out << (answered ? answer_of(*answered) : answer_of(answered.error())) << '\n';
    return answered ? commands::exit_ok : commands::exit_failed;
}

int answer_groups(const CallArguments& arguments, const boost::json::value& document,
                  std::ostream& out, std::ostream& err) {
    kubernetes::JsonProblems problems(document);
    const GroupsRequest request = decode_groups_request(problems.root());
    if (!problems.empty())
        return refuse_input(err, autoscaler::record::problems_text(problems, input));
    const Result<engine::GroupsAnswer> answered = arguments.group_source(request);
    out << (answered ? answer_of(*answered) : answer_of(answered.error())) << '\n';
    return answered ? commands::exit_ok : commands::exit_failed;
}

}  // namespace

std::optional<CallKind> find_call_kind(std::string_view kind) {
    for (const KindName& known : kinds) {
        if (kind == known.name || kind == known.id) return known.kind;
    }
    return std::nullopt;
}

std::string_view kind_id_of(CallKind kind) { return kinds[static_cast<std::size_t>(kind)].id; }

std::string unknown_call_kind(std::string_view kind) {
    std::vector<std::string> names;
    std::string listed;
    for (const KindName& known : kinds) {
        listed += (names.empty() ? "" : ", ") + std::string(known.name);
        names.emplace_back(known.name);
    }
    return "kind " + capstan::in_quotes(kind) + " cannot be called; kinds are " + listed +
           config::suggestion(kind, names);
}

int call(const CallArguments& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
    const Result<std::string> text = autoscaler::record::read_all(in);
    if (!text) return refuse_input(err, std::string(input) + ": " + text.error().message);
    const auto document = autoscaler::record::parse_json(*text, input);
    if (!document) return refuse_input(err, document.error().message);
    switch (arguments.kind) {
        case CallKind::expander:
            return answer_call(*arguments.expander, commands::decode_expander_request, *document,
                               out, err);
        case CallKind::similarity:
            return answer_call(*arguments.similarity, commands::decode_similarity_request,
                               *document, out, err);
        case CallKind::splitter:
            return answer_call(*arguments.splitter, commands::decode_splitter_request, *document,
                               out, err);
        case CallKind::group_source: return answer_groups(arguments, *document, out, err);
        case CallKind::controller: return answer_controller(arguments, *document, out, err);
        case CallKind::cloud: break;  // reads no question
    }
    return refuse_input(err, "this kind cannot be called");
}

namespace json = boost::json;

std::string answer_of(const commands::ExpanderRequest& request,
                      const engine::FilterResult& narrowing) {
    std::vector<std::uint32_t> kept;
    for (const auto& option : narrowing.kept) kept.push_back(request.places[option.option]);
    std::ranges::sort(kept);
    json::array options(kept.begin(), kept.end());
    json::array explain(narrowing.sentences.begin(), narrowing.sentences.end());
    return commands::json_line(
        json::object{{"options", std::move(options)}, {"explain", std::move(explain)}});
}

std::string answer_of(const Similarity& similarity) {
    return commands::json_line(
        json::object{{"similar", similarity.verdict != SimilarityVerdict::differs},
                     {"decided", similarity.verdict == SimilarityVerdict::decided},
                     {"because", similarity.because}});
}

std::string answer_of(const commands::SplitterRequest& request, const std::vector<int>& growth) {
    std::vector<std::size_t> group_at(request.places.size());
    for (std::size_t i = 0; i < request.places.size(); ++i) group_at[request.places[i]] = i;
    json::object deltas;
    for (const std::size_t i : group_at) deltas[request.groups[i].id.value()] = growth[i];
    return commands::json_line(json::object{{"deltas", std::move(deltas)}});
}

std::string answer_of(const Error& error) {
    return commands::json_line(json::object{{"error", error.message}});
}

}  // namespace capstan::plugin_tool
