/// The server that plays Google Cloud and the proxy in front of it, as programs beside a story.
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

/// A managed instance group that is there from the start, with an instance template of its own.
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
    boost::json::object
        properties{};            ///< of the instance template, beside or in place of the usual
    boost::json::object more{};  ///< of the MIG, as compute has it
};

/// A call that makes the world: the method's id in the discovery document, its parameters without
/// the project, and its body.
struct Making {
    std::string method{};
    boost::json::object parameters{}, body{};
};

struct World {
    std::vector<Group> groups{};
    std::vector<Making> calls{};
    /// Of deploy/gce, together what Capstan may do.
    std::vector<std::string> roles{"role.yaml"};
    boost::json::object more{};  ///< words of the server: "delays", "capacity", "lag"
};

/// What was asked of Google.
struct Call {
    std::int64_t number = 0;
    double at = 0;         ///< seconds, by the cloud's clock
    std::string method{};  ///< "compute.instanceGroupManagers.createInstances"
    std::string path{}, principal{};
    std::string reason{}, answer{};  ///< of one that was refused
    int status = 0;
    boost::json::value parameters{}, body{};

    /// The MIG that it is about; empty: it is about none.
    std::string group() const;
    /// Names of instances in its body, without what stands before them in links.
    std::vector<std::string> instances() const;
};

class GceServer : public clouds::CloudServer {
public:
    /// Why there can be none; empty: there can.
    static std::string missing_because() {
        return clouds::package_missing_because("googleapiclient");
    }
    explicit GceServer(const World& world);

    /// -1: there is no such group. Names are those of Group, here and below.
    int target(const std::string& group) const;
    /// Those of the group that are in its list, whatever their state.
    std::vector<boost::json::object> machines(const std::string& group) const;
    /// Ids: "shop-prod/us-central1-a/shop-web".
    std::vector<std::string> groups() const;
    /// All so far, or those of the methods that end so: "createInstances".
    std::vector<Call> calls(const std::string& method = {}) const;
    /// Names of all machines that the group was told to make, and was not refused.
    std::set<std::string> created(const std::string& group) const;
    std::string calls_text() const override;

    /// Calls a method of compute as an administrator would: "compute.instances.delete". Parameters
    /// without the project.
    void administer(const Making& call) const;
};

/// "shop-prod/us-central1-a/shop-web".
std::string id_of(const Group& group);

/// A project without groups, with an instance template "nodes" to make them of.
World bare_project();
/// Settings with which groups are made of it.
clouds::StoryOptions provisioned();

/// Google Cloud as a cloud of a pipeline. Its groups are read anew each second, for a story is
/// short.
clouds::Part part_of(std::shared_ptr<GceServer> server, const clouds::StoryOptions& options);

}  // namespace capstan::gce
