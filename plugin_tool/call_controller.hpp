/// `capstan plugin call --kind controller`: what a controller makes of one Balancer, on a cluster
/// in memory that is built from the request.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "autoscaler/plugin_set.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::plugin_tool {

/// {"balancer":BALANCER JSON,"targets":[{"name","total":5,"running":3,"blocked":2}]}. A target has
/// `total` pods: `running` pods run, `blocked` pods have been pending for longer than any startup
/// timeout, and the others have just been created. Targets that are not listed have no pods.
struct ControllerRequest {
    struct Pods {
        std::int64_t total = 0, running = 0, blocked = 0;
    };
    boost::json::object balancer;
    std::map<std::string, Pods> targets;  ///< by name
};
ControllerRequest decode_controller_request(const kubernetes::JsonCursor& root,
                                            const boost::json::value& document);

struct ControllerAnswer {
    std::vector<std::pair<std::string, std::int64_t>> placement;  ///< by target, in spec order
    std::int64_t missing = 0, overflow = 0;
};

/// Runs the plugin on virtual time until it has reconciled the Balancer. If the policy could not be
/// followed, the error is the message of the Balancer's condition.
Result<ControllerAnswer> call_controller(const autoscaler::LoadedPlugin& plugin,
                                         const ControllerRequest& request);

}  // namespace capstan::plugin_tool
