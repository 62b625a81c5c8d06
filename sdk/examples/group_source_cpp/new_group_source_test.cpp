#include "new_group_source.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/responses.hpp>
#include <capstan/to_abi_provisioning.hpp>

namespace {

using capstan::testing::FakeCall;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The groups that are suggested for a pod of 2 cores and a machine type with `cores` cores.
std::vector<std::string> groups_for(std::int64_t cores) {
    std::vector<capstan::PodEquivalenceGroup> pods{capstan::testing::pods("web")};
    pods[0].requests = {{"cpu", 2000}};
    const std::vector<capstan::MachineType> machines{
        {.name = "M.Large", .allocatable = {{"cpu", cores * 1000}}, .offerings = {{.zone = "a"}}}};
    capstan::ProvisioningAbiArena arena;
    const capstan_group_source_request in{sizeof in, 0,  arena.list(pods),     arena.list(machines),
                                          {},        {}, capstan::str("cloud")};
    NewGroupSource source;
    const capstan::detail::GroupSourceTable<NewGroupSource> table(source);
    return capstan::testing::ask(table.table, in, FakeCall()).groups;
}

TEST(NewGroupSource, SuggestsAMachineThatHoldsAPod) {
    EXPECT_THAT(groups_for(4), ElementsAre("pool-m-large(M.Large,a)"));
}

TEST(NewGroupSource, LeavesOutOneThatIsTooSmall) { EXPECT_THAT(groups_for(1), IsEmpty()); }

}  // namespace
