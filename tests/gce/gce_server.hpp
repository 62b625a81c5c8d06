/// The server that simulates Google Cloud and the proxy in front of it, as processes of a test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "../clouds/pipeline_text.hpp"

namespace capstan::gce {

inline constexpr const char* project = "shop-prod";
inline constexpr const char* region = "us-central1";
inline constexpr const char* cluster_name = "shop";
inline const std::vector<std::string> three_zones{"us-central1-a", "us-central1-b",
                                                  "us-central1-c"};
/// The service account of the machine that Capstan runs on.
inline constexpr const char* account = "capstan@shop-prod.iam.gserviceaccount.com";

/// A managed instance group that exists from the start, with its own instance template.
struct Group {
    std::string name{};                   ///< its MIG is "shop-NAME"
    std::string place = "us-central1-a";  ///< a zone or a region
    std::string shape{};                  ///< of a region: "EVEN", "BALANCED", "ANY"
    std::string type = "n2-standard-2";
    int target = 0;
    bool spot = false;
    std::map<std::string, std::string> labels{};     ///< by NODE_LABELS of kube-env
    std::string taints{};                            ///< NODE_TAINTS: "dedicated=web:NoSchedule"
    std::map<std::string, std::string> variables{};  ///< more of AUTOSCALER_ENV_VARS
    std::string image = "projects/cos-cloud/global/images/family/cos-stable";
    boost::json::object properties{};  ///< of the instance template, in addition to the defaults
    boost::json::object more{};        ///< more fields of the MIG, as in requests to compute
};

/// A call during the setup: the method's id in the discovery document, its parameters without
/// the project, and its body.
struct SetupCall {
    std::string method{};
    boost::json::object parameters{}, body{};
};

struct ServerSetup {
    std::vector<Group> groups{};
    std::vector<SetupCall> calls{};
    /// Files of deploy/gce; together they are the permissions of Capstan.
    std::vector<std::string> roles{"role.yaml"};
    boost::json::object more{};  ///< other words of the server: "delays", "capacity", "lag"
};

/// A request to Google.
struct Call {
    std::int64_t number = 0;
    double at = 0;         ///< seconds, by the clock of the cloud
    std::string method{};  ///< "compute.instanceGroupManagers.createInstances"
    std::string path{}, principal{};
    std::string reason{}, response{};  ///< of a refused request
    int status = 0;
    boost::json::value parameters{}, body{};

    /// The MIG of the request; empty if it has none.
    std::string group() const;
    /// Names of the instances in its body, without the prefixes of links.
    std::vector<std::string> instances() const;
};

class GceServer : public clouds::CloudServer {
public:
    /// Why it cannot run; empty if it can.
    static std::string missing_because() {
        return clouds::package_missing_because("googleapiclient");
    }
    explicit GceServer(const ServerSetup& setup);

    /// The target size; -1 if the group does not exist. Names are those of Group, here and below.
    int target(const std::string& group) const;
    /// All instances that the group lists, in any state.
    std::vector<boost::json::object> machines(const std::string& group) const;
    /// Ids: "shop-prod/us-central1-a/shop-web".
    std::vector<std::string> groups() const;
    /// All requests so far, or those of methods with this last part: "createInstances".
    std::vector<Call> calls(const std::string& method = {}) const;
    /// Names of all instances of accepted createInstances requests.
    std::set<std::string> created(const std::string& group) const;
    std::string calls_text() const override;

    /// Calls a method of compute as an administrator: "compute.instances.delete". Parameters
    /// without the project.
    void administer(const SetupCall& call) const;
};

/// The id of a group: "shop-prod/us-central1-a/shop-web".
std::string id_of(const Group& group);

/// A project without groups, with an instance template "nodes" for new groups.
ServerSetup bare_project();
/// Settings of node auto-provisioning in that project.
clouds::ScenarioOptions provisioned();

/// Google Cloud as a cloud of a pipeline. Groups are read every second, since tests are short.
clouds::Part part_of(std::shared_ptr<GceServer> server, const clouds::ScenarioOptions& options);

}  // namespace capstan::gce
