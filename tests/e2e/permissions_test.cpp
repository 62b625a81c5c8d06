#include "../host/commands/shell.hpp"
#include "control_plane_fixture.hpp"

namespace capstan::e2e {
namespace {

using ControlPlanePermissions = ControlPlaneTest;

TEST_F(ControlPlanePermissions, AreGrantedByTheManifests) {
    const Daemon daemon(*cluster, "permissions", cloud_in({"a"}));
    const commands::CommandResult doctor =
        commands::capstan("doctor --config '" + daemon.config().string() + "'");
    EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
    EXPECT_THAT(doctor.out, ::testing::HasSubstr("rules granted"));
}

}  // namespace
}  // namespace capstan::e2e
