/// A cluster on AWS: instances of moto join it, and `capstan run` scales it with the shipped
/// plugin.
#pragma once

#include <memory>

#include "../clouds/cloud_scenario.hpp"
#include "aws_server.hpp"

namespace capstan::aws {

using clouds::ScenarioOptions;
using namespace std::chrono_literals;

class AwsScenario : public clouds::CloudScenario {
public:
    AwsScenario(const ServerSetup& setup, const ScenarioOptions& options)
        : AwsScenario(std::make_shared<AwsServer>(setup), options) {}

    AwsServer& aws() { return aws_; }

private:
    AwsScenario(const std::shared_ptr<AwsServer>& aws, const ScenarioOptions& options)
        : CloudScenario({part_of(aws, options)}, options), aws_(*aws) {}

    AwsServer& aws_;
};

/// Skipped without moto; in CI it must be installed.
class AwsDaemon : public clouds::CloudDaemonTest {
protected:
    void SetUp() override { skip_because(AwsServer::missing_because()); }
    AwsScenario& begin(const ServerSetup& setup, const ScenarioOptions& options = {}) {
        return keep(std::make_unique<AwsScenario>(setup, options));
    }
};

}  // namespace capstan::aws
