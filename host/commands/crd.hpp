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

/// "created", "changed" or "unchanged": what applying the definition came to. Server-side, so that
/// what others set in it stays, and doing it again does nothing. The loop runs until it is done.
Result<std::string> install_definition(kubernetes::client::Api& api, io::Loop& loop,
                                       const boost::json::object& definition);

/// The definition as an object. `invalid_config`: it is no YAML.
Result<boost::json::object> parse_definition(std::string_view yaml);

}  // namespace capstan::commands
