#include "engine/health/reactions.hpp"

#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "engine/actions.hpp"

namespace capstan::engine::health {
namespace {

constexpr std::array all_calls{Call::refresh,  Call::increase,      Call::decrease_target,
                               Call::remove,   Call::create_group,  Call::destroy_group,
                               Call::describe, Call::machine_types, Call::terms,
                               Call::start,    Call::self_check,    Call::decide};

/// The table of capstan/abi/error.h: one row per code.
struct ReactionCase {
    ErrorCode code;
    Reaction refresh, increase, decrease, remove, create, destroy, describe, start;
};

std::vector<ReactionCase> reaction_cases() {
    using enum Reaction;
    // clang-format off
    return {
    {ErrorCode::unsupported, report_bug, suspend, suspend, suspend, suspend, suspend, use_default, disable},
    {ErrorCode::invalid_argument, report_bug, back_off, back_off, back_off, back_off, back_off, report_bug, disable},
    {ErrorCode::invalid_config, again, back_off, back_off, back_off, back_off, back_off, again, disable},
    {ErrorCode::not_found, again, treat_as_gone, treat_as_gone, treat_as_gone, treat_as_gone, treat_as_gone, again, disable},
    {ErrorCode::conflict, again, decide_again, back_off, back_off, back_off, back_off, again, disable},
    {ErrorCode::unauthenticated, await_credentials, await_credentials, await_credentials, await_credentials, await_credentials, await_credentials, again, restart_later},
    {ErrorCode::permission, await_credentials, back_off, back_off, back_off, back_off, back_off, again, disable},
    {ErrorCode::throttled, back_off_cloud, back_off_cloud, back_off_cloud, back_off_cloud, back_off_cloud, back_off_cloud, again, restart_later},
    {ErrorCode::quota, back_off_cloud, back_off, back_off, back_off, back_off, back_off, again, disable},
    {ErrorCode::out_of_capacity, again, back_off, back_off, back_off, back_off, back_off, again, disable},
    {ErrorCode::unavailable, again, again, again, again, again, again, again, restart_later},
    {ErrorCode::deadline, again, await_outcome, await_outcome, await_outcome, await_outcome, await_outcome, again, disable},
    {ErrorCode::cancelled, again, decide_again, decide_again, decide_again, decide_again, decide_again, again, disable},
    {ErrorCode::internal, report_bug, report_bug, report_bug, report_bug, report_bug, report_bug, report_bug, disable},
    {ErrorCode::busy, again, decide_again, decide_again, decide_again, decide_again, decide_again, again, disable},
    };
    // clang-format on
}

TEST(Reactions, MatchTheTableInErrorH) {
    for (const ReactionCase& row : reaction_cases()) {
        SCOPED_TRACE(name_of(row.code));
        EXPECT_EQ(reaction_to(Call::refresh, row.code), row.refresh);
        EXPECT_EQ(reaction_to(Call::increase, row.code), row.increase);
        EXPECT_EQ(reaction_to(Call::decrease_target, row.code), row.decrease);
        EXPECT_EQ(reaction_to(Call::remove, row.code), row.remove);
        EXPECT_EQ(reaction_to(Call::create_group, row.code), row.create);
        EXPECT_EQ(reaction_to(Call::destroy_group, row.code), row.destroy);
        EXPECT_EQ(reaction_to(Call::describe, row.code), row.describe);
        EXPECT_EQ(reaction_to(Call::machine_types, row.code), row.describe);
        EXPECT_EQ(reaction_to(Call::start, row.code), row.start);
    }
}

TEST(Reactions, CoverEachErrorCodeAndCall) {
    EXPECT_EQ(reaction_cases().size(), static_cast<std::size_t>(CAPSTAN_E_BUSY));
    for (const Call call : all_calls) {
        EXPECT_FALSE(name_of(call).empty());
        for (const ReactionCase& row : reaction_cases())
            EXPECT_FALSE(name_of(reaction_to(call, row.code)).empty()) << name_of(call);
    }
}

TEST(Reactions, FailTheStageForADecisionHook) {
    using enum Reaction;
    for (const ReactionCase& row : reaction_cases())
        EXPECT_EQ(reaction_to(Call::decide, row.code),
                  row.code == ErrorCode::unsupported ? use_default : fail_stage);
}

TEST(Reactions, LeaveTheOutcomeOpenOnlyForCallsThatWereSent) {
    EXPECT_TRUE(is_outcome_open(Call::increase, {.code = ErrorCode::deadline, .message = "late"}));
    EXPECT_TRUE(
        is_outcome_open(Call::increase, {.code = ErrorCode::cancelled, .message = "given up"}));
    EXPECT_FALSE(is_outcome_open(Call::increase, {.code = ErrorCode::cancelled,
                                                  .message = "given up",
                                                  .provider_code = std::string(not_asked)}));
    EXPECT_FALSE(
        is_outcome_open(Call::increase, {.code = ErrorCode::unavailable, .message = "away"}));
}

}  // namespace
}  // namespace capstan::engine::health
