/// A cluster on Google Cloud: instances of the simulated cloud join it, and `capstan run` scales it
/// with the shipped plugin.
#pragma once

#include <memory>

#include "../clouds/cloud_scenario.hpp"
#include "gce_server.hpp"

namespace capstan::gce {

using clouds::ScenarioOptions;
using namespace std::chrono_literals;

class GceScenario : public clouds::CloudScenario {
public:
    GceScenario(const ServerSetup& setup, const ScenarioOptions& options)
        : GceScenario(std::make_shared<GceServer>(setup), options) {}

    GceServer& gce() { return gce_; }

private:
    GceScenario(const std::shared_ptr<GceServer>& gce, const ScenarioOptions& options)
        : CloudScenario({part_of(gce, options)}, options), gce_(*gce) {}

    GceServer& gce_;
};

/// Skipped without Google's client, which has the discovery documents; in CI it must be installed.
class GceDaemon : public clouds::CloudDaemonTest {
protected:
    void SetUp() override { skip_because(GceServer::missing_because()); }
    GceScenario& begin(const ServerSetup& setup, const ScenarioOptions& options = {}) {
        return keep(std::make_unique<GceScenario>(setup, options));
    }
};

}  // namespace capstan::gce
