#include <capstan/plugin.hpp>

#include "aws_cloud.hpp"
#include "config.hpp"

namespace {

class Cloud : public capstan::aws::AwsCloud {
public:
    Cloud(capstan::Host host, const capstan::Settings& settings)
        : AwsCloud(host, capstan::aws::read_aws_config(settings)) {}
    static capstan::Schema schema() { return capstan::aws::aws_schema(); }
    static void check(const capstan::Settings& settings) {
        capstan::aws::check_aws_config(settings);
    }
};

}  // namespace

CAPSTAN_PLUGIN("capstan.aws", CAPSTAN_VERSION, "Capstan", CAPSTAN_KIND_CLOUD,
               capstan::make_class<Cloud>({.id = "aws",
                                           .doc = "Auto Scaling groups of an AWS account."}))
