#include "commands/crd.hpp"

#include <string>
#include <utility>

#include <boost/json/serialize.hpp>

#include "commands/chosen_cluster.hpp"
#include "commands/options.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/access/kubeconfig_yaml.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using kubernetes::client::ApiReply;
using kubernetes::client::ApiRequest;

constexpr kubernetes::client::ApiResource definitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};

/// The spec of the definition in a reply, for comparison; the server changes other members.
json::value definition_in(const ApiReply& reply) {
    const Result<json::object> object = kubernetes::base::parse_json_object(reply.body);
    const json::value* spec = object ? kubernetes::base::find_value(*object, "spec") : nullptr;
    return spec != nullptr ? *spec : json::value();
}

}  // namespace

Result<json::object> parse_definition(std::string_view yaml) {
    CAPSTAN_TRY(const kubernetes::client::YamlValue value,
                kubernetes::client::parse_yaml("the definition", std::string(yaml)));
    json::value out = kubernetes::client::json_of(value);
    if (!out.is_object()) return fail(ErrorCode::invalid_config, "the definition is not an object");
    return std::move(out.as_object());
}

Result<std::string> install_definition(kubernetes::client::Api& api, io::Loop& loop,
                                       const json::object& definition) {
    const std::string name(definition.at("metadata").at("name").as_string());
    ApiRequest get{.path = path_of(definitions, {}, name)};
    const Result<ApiReply> before = send_and_wait(api, loop, get);
    if (!before && before.error().code != ErrorCode::not_found) return fail(before.error());
    ApiRequest apply{.method = "PATCH",
                     .path = get.path,
                     .query = {{"fieldManager", "capstan"}, {"force", "true"}},
                     .body = json::serialize(definition),
                     .content_type = "application/apply-patch+yaml"};
    CAPSTAN_TRY(const ApiReply after, send_and_wait(api, loop, std::move(apply)));
    if (!before) return std::string("created");
    return std::string(definition_in(*before) == definition_in(after) ? "unchanged" : "changed");
}

namespace {

Result<void> install(const ClusterChoice& choice, std::ostream& out) {
    CAPSTAN_TRY(const boost::json::object definition, parse_definition(balancer_definition));
    CAPSTAN_TRY(const auto cluster, ChosenCluster::open(choice, ChosenCluster::Access::full));
    CAPSTAN_TRY(const std::string outcome,
                install_definition(cluster->api(), cluster->loop(), definition));
    out << "customresourcedefinition.apiextensions.k8s.io/"
        << std::string_view(definition.at("metadata").at("name").as_string()) << ' ' << outcome
        << '\n';
    return {};
}

int run_install(const ClusterChoice& choice, Streams streams) {
    const Result<void> done = install(choice, streams.out);
    if (done) return exit_ok;
    return refuse(streams, done.error().message,
                  done.error().code == ErrorCode::invalid_config ? exit_usage : exit_failed);
}

}  // namespace

void add_crd(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "crd", "Print or install the CustomResourceDefinitions that Capstan's controllers need");
    command.require_subcommand(1);
    CLI::App& print = *command.add_subcommand(
        "print", "Print the CustomResourceDefinitions, for kubectl apply or Git");
    print.callback([&action] {
        action = [](Streams streams) {
            streams.out << balancer_definition;
            return exit_ok;
        };
    });
    const auto [install, choice] = add_command(
        command, action, "install",
        "Apply the CustomResourceDefinitions to a cluster; safe to repeat", run_install);
    add_cluster_choice(install, choice, ClusterDefault::environment);
}

}  // namespace capstan::commands
