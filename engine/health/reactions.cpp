#include "engine/health/reactions.hpp"

#include <array>
#include <cstddef>

#include "engine/actions.hpp"

namespace capstan::engine::health {
namespace {

constexpr std::size_t call_count = static_cast<std::size_t>(Call::start) + 1;

/// The reactions to one code, by call.
struct ReactionRow {
    ErrorCode code;
    std::array<Reaction, call_count> by_call;
};

constexpr auto make_reaction_rows() {
    using enum Reaction;
    // clang-format off
    return std::array{
    // refresh, increase, decrease_target, remove, create_group, destroy_group, start
    ReactionRow{ErrorCode::unsupported,
        {report_bug, suspend, suspend, suspend, suspend, suspend, disable}},
    ReactionRow{ErrorCode::invalid_argument,
        {report_bug, back_off, back_off, back_off, back_off, back_off, disable}},
    ReactionRow{ErrorCode::invalid_config,
        {again, back_off, back_off, back_off, back_off, back_off, disable}},
    ReactionRow{ErrorCode::not_found,
        {again, treat_as_gone, treat_as_gone, treat_as_gone, treat_as_gone, treat_as_gone, disable}},
    ReactionRow{ErrorCode::conflict,
        {again, again, back_off, back_off, back_off, back_off, disable}},
    ReactionRow{ErrorCode::unauthenticated,
        {await_credentials, await_credentials, await_credentials,
         await_credentials, await_credentials, await_credentials, restart_later}},
    ReactionRow{ErrorCode::permission,
        {await_credentials, back_off, back_off, back_off, back_off, back_off, restart_later}},
    ReactionRow{ErrorCode::throttled,
        {back_off_cloud, back_off_cloud, back_off_cloud,
         back_off_cloud, back_off_cloud, back_off_cloud, restart_later}},
    ReactionRow{ErrorCode::quota,
        {back_off_cloud, back_off, back_off, back_off, back_off, back_off, disable}},
    ReactionRow{ErrorCode::out_of_capacity,
        {again, back_off, back_off, back_off, back_off, back_off, disable}},
    ReactionRow{ErrorCode::unavailable,
        {again, again, again, again, again, again, restart_later}},
    ReactionRow{ErrorCode::deadline,
        {again, await_outcome, await_outcome, await_outcome, await_outcome, await_outcome, restart_later}},
    ReactionRow{ErrorCode::cancelled,
        {again, decide_again, decide_again, decide_again, decide_again, decide_again, disable}},
    ReactionRow{ErrorCode::internal,
        {report_bug, report_bug, report_bug, report_bug, report_bug, report_bug, disable}},
    ReactionRow{ErrorCode::busy,
        {again, decide_again, decide_again, decide_again, decide_again, decide_again, restart_later}},
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

}  // namespace capstan::engine::health
