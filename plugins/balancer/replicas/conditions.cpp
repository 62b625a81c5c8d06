#include "conditions.hpp"

#include <capstan/time_text.hpp>
#include <capstan/utf8.hpp>

#include "pods.hpp"

namespace capstan::replicas {
namespace {

/// The API refuses longer messages.
constexpr std::size_t message_max = 32768;
constexpr std::size_t message_cut = 2048;
static_assert(message_cut < message_max);

std::string cut_message(std::string text) {
    if (text.size() <= message_cut) return text;
    return std::string(beginning_of(text, message_cut)) + "...";
}

}  // namespace

std::optional<Condition> find_condition(const Json& status, std::string_view type) {
    const Json* all = status.find("conditions");
    if (all == nullptr) return std::nullopt;
    for (const Json& each : all->items()) {
        if (each.text_at({"type"}) != type) continue;
        const Json* generation = each.find("observedGeneration");
        return Condition{.type = std::string(type),
                         .is_true = each.text_at({"status"}) == "True",
                         .reason = each.text_at({"reason"}),
                         .message = each.text_at({"message"}),
                         .observed_generation = generation ? generation->integer().value_or(0) : 0,
                         .since = find_rfc3339(each.text_at({"lastTransitionTime"}))};
    }
    return std::nullopt;
}

Json write_condition(const Condition& condition, const Json& status_before, Time now) {
    const auto before = find_condition(status_before, condition.type);
    const bool was_so = before && before->is_true == condition.is_true && before->since;
    return Json::object({{"type", condition.type},
                         {"status", condition.is_true ? "True" : "False"},
                         {"observedGeneration", condition.observed_generation},
                         {"lastTransitionTime", format_rfc3339(was_so ? *before->since : now, 0)},
                         {"reason", condition.reason},
                         {"message", cut_message(condition.message)}});
}

}  // namespace capstan::replicas
