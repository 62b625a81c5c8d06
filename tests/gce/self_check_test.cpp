// Requests of Google's clients to server and proxy.
#include "gce_scenario.hpp"

namespace capstan::gce {

class GceFake : public GceDaemon {};

TEST_F(GceFake, RespondsToGoogleClientsAsGoogleDoes) {
    const commands::Folder folder;
    e2e::Process check({clouds::python, "tests/gce/server/self_check.py"}, {},
                       folder.path() / "log");
    EXPECT_TRUE(e2e::becomes(240s, [&] { return !check.is_running(); }));
    EXPECT_EQ(check.end(9), 0) << folder.read("log");
}

}  // namespace capstan::gce
