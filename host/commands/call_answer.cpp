#include "commands/call_answer.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "commands/value_text.hpp"

namespace capstan::commands {

namespace json = boost::json;

std::string answer_of(const ExpanderRequest& request, const engine::FilterResult& narrowing) {
    std::vector<std::uint32_t> kept;
    for (const auto& option : narrowing.kept) kept.push_back(request.places[option.option]);
    std::ranges::sort(kept);
    json::array options(kept.begin(), kept.end());
    json::array explain(narrowing.sentences.begin(), narrowing.sentences.end());
    return json_line(
        json::object{{"options", std::move(options)}, {"explain", std::move(explain)}});
}

std::string answer_of(const Similarity& similarity) {
    return json_line(json::object{{"similar", similarity.verdict != SimilarityVerdict::differs},
                                  {"decided", similarity.verdict == SimilarityVerdict::decided},
                                  {"because", similarity.because}});
}

std::string answer_of(const SplitterRequest& request, const std::vector<int>& growth) {
    std::vector<std::size_t> group_at(request.places.size());
    for (std::size_t i = 0; i < request.places.size(); ++i) group_at[request.places[i]] = i;
    json::object deltas;
    for (const std::size_t i : group_at) deltas[request.groups[i].id.value()] = growth[i];
    return json_line(json::object{{"deltas", std::move(deltas)}});
}

std::string answer_of(const Error& error) {
    return json_line(json::object{{"error", error.message}});
}

}  // namespace capstan::commands
