/// The custom resource definitions of the shipped controllers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/kube_api.hpp"

namespace capstan::commands {

/// plugins/balancer/replicas/crd.yaml, embedded at build time.
extern const std::string_view balancer_definition;

/// Applies the definition and returns "created", "changed" or "unchanged". Uses server-side apply,
/// so fields that only others set stay, and applying again changes nothing. Runs the loop until
/// the server has answered.
Result<std::string> install_definition(kubernetes::client::Api& api, io::Loop& loop,
                                       const boost::json::object& definition);

/// The definition as an object. Fails with `invalid_config` if the text is not a YAML object.
Result<boost::json::object> parse_definition(std::string_view yaml);

}  // namespace capstan::commands
