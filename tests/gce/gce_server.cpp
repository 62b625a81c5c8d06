#include "gce_server.hpp"

#include <sstream>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

namespace capstan::gce {
namespace {

namespace json = boost::json;

std::string joined(const std::map<std::string, std::string>& pairs, const char* separator) {
    std::string out;
    for (const auto& [key, value] : pairs)
        out += (out.empty() ? "" : separator) + key + "=" + value;
    return out;
}

/// A kube-env in the form of GKE.
std::string kube_env(const Group& group) {
    std::map<std::string, std::string> variables{
        {"kube_reserved", "cpu=70m,memory=1773Mi,ephemeral-storage=5Gi"},
        {"os", "linux"},
        {"os_distribution", "cos"},
        {"node_labels", joined(group.labels, ",")},
        {"node_taints", group.taints}};
    for (const auto& [key, value] : group.variables) variables[key] = value;
    return "AUTOSCALER_ENV_VARS: \"" + joined(variables, ";") + "\"\nNODE_LABELS: \"" +
           joined(group.labels, ",") + "\"\nNODE_TAINTS: \"" + group.taints + "\"\n";
}

json::object properties_of(const Group& group) {
    json::object out{
        {"machineType", group.type},
        {"disks",
         json::array{json::object{{"boot", true},
                                  {"type", "PERSISTENT"},
                                  {"initializeParams", json::object{{"sourceImage", group.image},
                                                                    {"diskType", "pd-balanced"},
                                                                    {"diskSizeGb", "100"}}}}}},
        {"networkInterfaces", json::array{json::object{{"network", "global/networks/default"}}}},
        {"metadata",
         json::object{{"items", json::array{json::object{{"key", "kube-env"},
                                                         {"value", kube_env(group)}}}}}}};
    if (group.spot)
        out["scheduling"] = {{"provisioningModel", "SPOT"}, {"instanceTerminationAction", "STOP"}};
    for (const auto& each : group.properties) out[each.key()] = each.value();
    return out;
}

std::string mig_of(const std::string& group) { return "shop-" + group; }

bool is_zone(const std::string& place) { return place != region; }

json::object place_parameters(const Group& group) {
    return {{"project", project}, {is_zone(group.place) ? "zone" : "region", group.place}};
}

/// Adds the calls that create the group and its instance template.
void add_group(json::array& calls, const Group& group) {
    const std::string name = mig_of(group.name);
    calls.push_back(
        json::array{"compute.instanceTemplates.insert", json::object{{"project", project}},
                    json::object{{"name", name}, {"properties", properties_of(group)}}});
    json::object body{{"name", name},
                      {"baseInstanceName", name},
                      {"instanceTemplate", "global/instanceTemplates/" + name},
                      {"targetSize", group.target}};
    if (!group.shape.empty()) body["distributionPolicy"] = {{"targetShape", group.shape}};
    for (const auto& each : group.more) body[each.key()] = each.value();
    calls.push_back(json::array{is_zone(group.place) ? "compute.instanceGroupManagers.insert"
                                                     : "compute.regionInstanceGroupManagers.insert",
                                place_parameters(group), std::move(body)});
}

json::array call_of(const SetupCall& making) {
    json::object parameters = making.parameters;
    parameters["project"] = project;
    if (making.body.empty()) return {making.method, std::move(parameters)};
    return {making.method, std::move(parameters), making.body};
}

/// The setup in the form of the server. The instance of Capstan has a service account with the
/// roles.
json::object describe(const ServerSetup& setup) {
    json::array calls;
    for (const SetupCall& making : setup.calls) calls.push_back(call_of(making));
    for (const Group& group : setup.groups) add_group(calls, group);
    json::array roles;
    for (const std::string& file : setup.roles) roles.push_back(json::string("deploy/gce/" + file));
    json::object out = setup.more;
    out["calls"] = std::move(calls);
    if (!out.contains("identities")) out["identities"] = json::object{};
    json::object& identities = out["identities"].as_object();
    identities["accounts"] = json::array{json::object{{"email", account}, {"roles", roles}}};
    identities["machine_account"] = account;
    return out;
}

Call read_call(const json::value& value) {
    const auto find = [&](const char* name) { return value.as_object().if_contains(name); };
    const auto text = [&](const char* name) {
        const json::value* const found = find(name);
        return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
    };
    Call out{.number = value.at("number").to_number<std::int64_t>(),
             .at = value.at("at").to_number<double>(),
             .method = text("method"),
             .path = text("path"),
             .principal = text("principal"),
             .reason = text("reason"),
             .parameters = value.at("parameters")};
    if (const json::value* const response = find("answer"))
        out.response = json::serialize(*response);
    if (const json::value* const status = find("status")) out.status = status->to_number<int>();
    if (const json::value* const body = find("body")) out.body = *body;
    return out;
}

std::string last_part(std::string_view link) {
    return std::string(link.substr(link.rfind('/') + 1));  // npos + 1 is 0
}

}  // namespace

std::string Call::group() const {
    const json::value* const found = parameters.as_object().if_contains("instanceGroupManager");
    return found == nullptr ? "" : std::string(found->as_string());
}

std::vector<std::string> Call::instances() const {
    std::vector<std::string> out;
    const json::value* const listed =
        body.is_object() ? body.get_object().if_contains("instances") : nullptr;
    if (listed == nullptr) return out;
    for (const json::value& each : listed->as_array())
        out.push_back(last_part(each.is_object() ? each.at("name").as_string() : each.as_string()));
    return out;
}

GceServer::GceServer(const ServerSetup& setup) : CloudServer("tests/gce", describe(setup)) {}

int GceServer::target(const std::string& group) const {
    const json::value all = get("groups");
    for (const auto& each : all.as_object())
        if (last_part(each.key()) == mig_of(group))
            return each.value().at("target").to_number<int>();
    return -1;
}

std::vector<json::object> GceServer::machines(const std::string& group) const {
    std::vector<json::object> out;
    const json::value all = get("machines");
    for (const json::value& machine : all.as_array())
        if (last_part(machine.at("group").as_string()) == mig_of(group))
            out.push_back(machine.as_object());
    return out;
}

std::vector<std::string> GceServer::groups() const {
    std::vector<std::string> out;
    const json::value all = get("groups");
    for (const auto& group : all.as_object()) out.emplace_back(group.key());
    return out;
}

std::vector<Call> GceServer::calls(const std::string& method) const {
    std::vector<Call> out;
    const json::value all = get("calls");
    for (const json::value& each : all.as_array())
        if (method.empty() || each.at("method").as_string().ends_with("." + method))
            out.push_back(read_call(each));
    return out;
}

std::set<std::string> GceServer::created(const std::string& group) const {
    std::set<std::string> out;
    for (const Call& call : calls("createInstances"))
        if (call.group() == mig_of(group) && call.status == 200)
            for (std::string& name : call.instances()) out.insert(std::move(name));
    return out;
}

std::string GceServer::calls_text() const {
    std::ostringstream out;
    for (const Call& call : calls())
        out << call.number << " " << call.method << " " << call.status << " " << call.path << " "
            << json::serialize(call.body).substr(0, 300) << " " << call.response.substr(0, 300)
            << "\n";
    return std::move(out).str();
}

void GceServer::administer(const SetupCall& call) const {
    json::array calls;  // an initializer with one array would copy it instead of nesting it
    calls.push_back(call_of(call));
    set("calls", calls);
}

std::string id_of(const Group& group) {
    return std::string(project) + "/" + group.place + "/" + mig_of(group.name);
}

ServerSetup bare_project() {
    ServerSetup setup{.roles = {"role.yaml", "role_provisioning.yaml"}};
    setup.calls = {{.method = "compute.instanceTemplates.insert",
                    .body = {{"name", "nodes"}, {"properties", properties_of({.name = "nodes"})}}}};
    return setup;
}

clouds::ScenarioOptions provisioned() {
    return {.settings =
                "provisioning = { instance_template = \"nodes\", zones = "
                "[\"us-central1-a\", \"us-central1-b\"], machine_types = [\"n2-*\"] }\n",
            .scale_up = "group_sources = [\"provisioning\"]\n",
            .more = "[plugin.provisioning]\nsettings = { max_groups = 10 }\n",
            .empty_group_time = "5s",
            .discovery = "[]"};
}

clouds::Part part_of(std::shared_ptr<GceServer> server, const clouds::ScenarioOptions& options) {
    std::ostringstream settings;
    settings << "project = \"" << project << "\"\ncluster = \"" << cluster_name
             << "\"\nendpoint_url = \"SERVER\"\nrefresh_every = \"1s\"\ndiscovery = "
             << (options.discovery.empty() ? R"(["namePrefix=shop-,min=0,max=10"])"
                                           : options.discovery)
             << "\ncredentials = { metadata_host = \"AUTHORITY\" }\n"
             << options.settings;
    return {.plugin = "gce",
            .prefix = "gce://",
            .settings = std::move(settings).str(),
            .server = std::move(server)};
}

}  // namespace capstan::gce
