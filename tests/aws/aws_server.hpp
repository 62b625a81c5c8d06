/// moto's server and the proxy in front of it, as processes of a test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "../clouds/pipeline_text.hpp"

namespace capstan::aws {

inline constexpr const char* region = "eu-central-1";
inline constexpr const char* cluster_name = "shop";
inline const std::vector<std::string> three_zones{"eu-central-1a", "eu-central-1b",
                                                  "eu-central-1c"};
inline constexpr const char* scaling_label_tag = "k8s.io/cluster-autoscaler/node-template/label/";

/// The nodeadm part of the user data of Amazon Linux 2023, in base64.
inline constexpr const char* node_config =
    "LS0tCmFwaVZlcnNpb246IG5vZGUuZWtzLmF3cy92MWFscGhhMQpraW5kOiBOb2RlQ29uZmlnCnNwZWM6CiAgY2x1c3Rl"
    "cjoKICAgIG5hbWU6IHNob3AKICAgIGFwaVNlcnZlckVuZHBvaW50OiBodHRwczovL2V4YW1wbGUuY29tCiAgICBjZXJ0"
    "aWZpY2F0ZUF1dGhvcml0eTogQUFBQQogICAgY2lkcjogMTAuMTAwLjAuMC8xNgo=";

/// An Auto Scaling group that exists from the start, with its own launch template.
struct Group {
    std::string name{};
    std::vector<std::string> types{"m5.large"};  ///< several: a mixed instances policy
    std::vector<std::string> zones = three_zones;
    int min = 0, max = 10, desired = 0;
    bool spot = false;                   ///< all instances, by a mixed instances policy
    std::string image = "ami-ekslinux";  ///< of x86_64; moto knows it
    std::map<std::string, std::string> labels{}, tags{};  ///< labels: by tags of node templates
};

/// A request during the setup, as `aws SERVICE ACTION --cli-input-json` takes it.
struct SetupCall {
    std::string service{}, action{};
    boost::json::object parameters{};
};

struct ServerSetup {
    std::vector<Group> groups{};
    std::vector<SetupCall> calls{};
    /// Files of deploy/aws; together they are the permissions of Capstan.
    std::vector<std::string> policies{"policy.json"};
    boost::json::object more{};  ///< other words of the server: "delays", "capacity", "lag"
};

/// A request to AWS.
struct Call {
    std::int64_t number = 0;
    double at = 0;  ///< seconds, by the clock of the cloud
    std::string service{}, action{}, principal{}, response{};
    int status = 0;
    boost::json::value parameters{};

    std::string parameter(const std::string& name) const;
};

class AwsServer : public clouds::CloudServer {
public:
    /// Why it cannot run; empty if it can.
    static std::string missing_because() { return clouds::package_missing_because("moto"); }
    explicit AwsServer(const ServerSetup& setup);

    /// The desired capacity of the group; -1 if it does not exist.
    int desired(const std::string& group) const;
    /// All instances that the group lists, in any state.
    std::vector<boost::json::object> machines(const std::string& group) const;
    std::vector<std::string> groups() const;
    /// All requests so far, or those of one action.
    std::vector<Call> calls(const std::string& action = {}) const;
    /// The largest desired capacity that was requested so far; 0 without a request.
    int most_desired(const std::string& group) const;
    std::string calls_text() const override;
};

/// An account without groups, with a launch template and subnets for new groups.
ServerSetup bare_account();
/// Settings of node auto-provisioning in that account.
clouds::ScenarioOptions provisioned();

/// AWS as a cloud of a pipeline. Groups are read every second, since tests are short.
clouds::Part part_of(std::shared_ptr<AwsServer> server, const clouds::ScenarioOptions& options);

/// A policy with all statements of these files of deploy/aws, for the account of the cluster.
boost::json::object policy_of(const std::vector<std::string>& files);

}  // namespace capstan::aws
