#include "control_plane.hpp"

#include <iostream>
#include <utility>

namespace capstan::clouds {
namespace {

constexpr auto quick_on_a_control_plane = R"([scale_down]
delay_after_add = "3s"
delay_after_failure = "3s"
unneeded_time = "3s"
node_delete_delay_after_taint = "1s"
eviction_retry = "1s"
)";

}  // namespace

void CloudsOnARealControlPlane::TearDown() {
    for (const Part& part : parts_) {
        EXPECT_THAT(part.server->violations(), ::testing::IsEmpty()) << part.plugin;
        if (HasFailure()) std::cerr << folder_.read(joiner_log(part)) << part.server->calls_text();
    }
    daemon_.reset();
    joiners_.clear();
    e2e::ControlPlaneTest::TearDown();
}

void CloudsOnARealControlPlane::begin(std::vector<Part> parts, const ScenarioOptions& options) {
    parts_ = std::move(parts);
    for (const Part& part : parts_)
        joiners_.push_back(start_joiner(part, cluster->control_plane() / "admin.conf",
                                        folder_.path() / joiner_log(part)));
    daemon_ = std::make_unique<e2e::Daemon>(
        *cluster, "daemon",
        pipeline_text(parts_, options) + quick_on_a_control_plane + options.more);
}

}  // namespace capstan::clouds
