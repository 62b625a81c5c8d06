/// `capstan plugin call --kind controller`: what a controller makes of one Balancer, on a cluster
/// in memory that is built from the request.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "kubernetes/json_cursor.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::commands {

/// {"balancer":BALANCER JSON,"targets":[{"name","total":5,"running":3,"blocked":2}]}; of these pods
/// `running` run, `blocked` are pending for longer than any startup timeout, and the others have
/// just been made. Targets without figures have no pods.
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
    std::vector<std::pair<std::string, std::int64_t>> placement;  ///< of every target, in its order
    std::int64_t missing = 0, overflow = 0;
};

/// Runs the plugin on virtual time until its Balancer is looked after. The error is what the
/// Balancer's condition says where its policy could not be followed.
Result<ControllerAnswer> call_controller(const runtime::LoadedPlugin& plugin,
                                         const ControllerRequest& request);

/// {"placement":{"a":3},"missing":0,"overflow":0}
std::string answer_of(const ControllerAnswer& answer);

}  // namespace capstan::commands
