#include "../host/commands/shell.hpp"
#include "stories.hpp"

namespace capstan::e2e {
namespace {

using Rights = Stories;

TEST_F(Rights, TheManifestGrantsAllThatCapstanNeeds) {
    const Daemon daemon(*cluster, "rights", cloud_in({"a"}));
    const commands::Ran doctor =
        commands::capstan("doctor --config '" + daemon.config().string() + "'");
    EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
    EXPECT_THAT(doctor.out, ::testing::HasSubstr("rules granted"));
}

}  // namespace
}  // namespace capstan::e2e
