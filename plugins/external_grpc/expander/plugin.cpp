#include <capstan/plugin.hpp>

#include "config.hpp"
#include "grpc_expander.hpp"

namespace {

class Expander : public capstan::external_grpc::GrpcExpander {
public:
    Expander(capstan::Host host, const capstan::Settings& settings)
        : GrpcExpander(host, capstan::external_grpc::read_expander_config(settings)) {}
    static capstan::Schema schema() { return capstan::external_grpc::expander_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::external_grpc::check_expander_config(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN(
    "capstan.grpc_expander", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_EXPANDER,
    capstan::make_class<Expander>({.id = "grpc_expander",
                                   .doc = "Keeps the options chosen by a server of "
                                          "cluster-autoscaler's gRPC expander protocol."}))
