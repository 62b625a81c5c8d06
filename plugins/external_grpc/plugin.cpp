#include <capstan/plugin.hpp>

#include "config.hpp"
#include "external_cloud.hpp"

namespace {

class Cloud : public capstan::external_grpc::ExternalCloud {
public:
    Cloud(capstan::Host host, const capstan::Settings& settings)
        : ExternalCloud(host, capstan::external_grpc::read_cloud_config(settings)) {}
    static capstan::Schema schema() { return capstan::external_grpc::cloud_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::external_grpc::check_cloud_config(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.external_grpc", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_CLOUD,
               capstan::make_class<Cloud>(
                   {.id = "external_grpc",
                    .doc = "A cloud served by cluster-autoscaler's externalgrpc protocol."}))
