#include "engine/health/reactions.hpp"

#include <array>
#include <cstddef>

#include "engine/actions.hpp"

namespace capstan::engine::health {
namespace {

constexpr std::size_t call_count = static_cast<std::size_t>(Call::decide) + 1;

/// The reactions to one code, by call.
struct ReactionRow {
    ErrorCode code;
    std::array<Reaction, call_count> by_call;
};

constexpr auto make_reaction_rows() {
    using enum Reaction;
    // clang-format off
    return std::array{
    // refresh, increase, decrease_target, remove, create_group, destroy_group,
    // describe, machine_types, terms, start, self_check, decide
    ReactionRow{ErrorCode::unsupported,
        {report_bug, suspend, suspend, suspend, suspend, suspend,
         use_default, use_default, use_default, disable, use_default, use_default}},
    ReactionRow{ErrorCode::invalid_argument,
        {report_bug, back_off, back_off, back_off, back_off, back_off,
         report_bug, report_bug, report_bug, disable, report, fail_stage}},
    ReactionRow{ErrorCode::invalid_config,
        {again, back_off, back_off, back_off, back_off, back_off,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::not_found,
        {again, treat_as_gone, treat_as_gone, treat_as_gone, treat_as_gone, treat_as_gone,
         again, again, use_default, disable, report, fail_stage}},
    ReactionRow{ErrorCode::conflict,
        {again, decide_again, back_off, back_off, back_off, back_off,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::unauthenticated,
        {await_credentials, await_credentials, await_credentials, await_credentials,
         await_credentials, await_credentials,
         again, again, again, restart_later, report, fail_stage}},
    ReactionRow{ErrorCode::permission,
        {await_credentials, back_off, back_off, back_off, back_off, back_off,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::throttled,
        {back_off_cloud, back_off_cloud, back_off_cloud, back_off_cloud, back_off_cloud, back_off_cloud,
         again, again, again, restart_later, report, fail_stage}},
    ReactionRow{ErrorCode::quota,
        {back_off_cloud, back_off, back_off, back_off, back_off, back_off,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::out_of_capacity,
        {again, back_off, back_off, back_off, back_off, back_off,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::unavailable,
        {again, again, again, again, again, again,
         again, again, again, restart_later, report, fail_stage}},
    ReactionRow{ErrorCode::deadline,
        {again, await_outcome, await_outcome, await_outcome, await_outcome, await_outcome,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::cancelled,
        {again, decide_again, decide_again, decide_again, decide_again, decide_again,
         again, again, again, disable, report, fail_stage}},
    ReactionRow{ErrorCode::internal,
        {report_bug, report_bug, report_bug, report_bug, report_bug, report_bug,
         report_bug, report_bug, report_bug, disable, report, fail_stage}},
    ReactionRow{ErrorCode::busy,
        {again, decide_again, decide_again, decide_again, decide_again, decide_again,
         again, again, again, disable, report, fail_stage}},
    };
    // clang-format on
}
constexpr auto reaction_rows = make_reaction_rows();

constexpr bool rows_are_by_code() {
    for (std::size_t row = 0; row < reaction_rows.size(); ++row)
        if (static_cast<std::size_t>(reaction_rows[row].code) != row + 1) return false;
    return true;
}
static_assert(rows_are_by_code() && reaction_rows.size() == CAPSTAN_E_BUSY);

}  // namespace

Reaction reaction_to(Call call, ErrorCode code) noexcept {
    const auto row = static_cast<std::size_t>(code) - 1;
    return reaction_rows.at(row).by_call.at(static_cast<std::size_t>(call));
}

bool is_outcome_open(Call call, const Error& error) noexcept {
    if (error.provider_code == not_asked) return false;
    return error.code == ErrorCode::cancelled ||
           reaction_to(call, error.code) == Reaction::await_outcome;
}

std::string_view name_of(Call call) noexcept {
    switch (call) {
        case Call::refresh: return "refresh";
        case Call::increase: return "increase";
        case Call::decrease_target: return "decrease_target";
        case Call::remove: return "remove";
        case Call::create_group: return "create_group";
        case Call::destroy_group: return "destroy_group";
        case Call::describe: return "describe";
        case Call::machine_types: return "machine_types";
        case Call::terms: return "terms";
        case Call::start: return "start";
        case Call::self_check: return "self_check";
        case Call::decide: return "decide";
    }
    return "refresh";
}

std::string_view name_of(Reaction reaction) noexcept {
    using enum Reaction;
    switch (reaction) {
        case again: return "again";
        case decide_again: return "decide_again";
        case back_off_cloud: return "back_off_cloud";
        case await_credentials: return "await_credentials";
        case back_off: return "back_off";
        case report_bug: return "report_bug";
        case suspend: return "suspend";
        case treat_as_gone: return "treat_as_gone";
        case await_outcome: return "await_outcome";
        case use_default: return "use_default";
        case restart_later: return "restart_later";
        case disable: return "disable";
        case report: return "report";
        case fail_stage: return "fail_stage";
    }
    return "again";
}

}  // namespace capstan::engine::health
