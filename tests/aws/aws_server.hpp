/// moto's server and the proxy in front of it, as programs beside a story.
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

/// nodeadm's part of the user data of Amazon Linux 2023, in base64.
inline constexpr const char* node_config =
    "LS0tCmFwaVZlcnNpb246IG5vZGUuZWtzLmF3cy92MWFscGhhMQpraW5kOiBOb2RlQ29uZmlnCnNwZWM6CiAgY2x1c3Rl"
    "cjoKICAgIG5hbWU6IHNob3AKICAgIGFwaVNlcnZlckVuZHBvaW50OiBodHRwczovL2V4YW1wbGUuY29tCiAgICBjZXJ0"
    "aWZpY2F0ZUF1dGhvcml0eTogQUFBQQogICAgY2lkcjogMTAuMTAwLjAuMC8xNgo=";

/// An Auto Scaling group that is there from the start, with a launch template of its own.
struct Group {
    std::string name{};
    std::vector<std::string> types{"m5.large"};  ///< more than one: a mixed instances policy
    std::vector<std::string> zones = three_zones;
    int min = 0, max = 10, desired = 0;
    bool spot = false;                   ///< all of it, by a mixed instances policy
    std::string image = "ami-ekslinux";  ///< of x86_64; moto knows it
    std::map<std::string, std::string> labels{}, tags{};  ///< labels: by tags of node templates
};

/// A request that makes the world, as `aws SERVICE ACTION --cli-input-json` takes it.
struct Making {
    std::string service{}, action{};
    boost::json::object parameters{};
};

struct World {
    std::vector<Group> groups{};
    std::vector<Making> calls{};
    /// Of deploy/aws, together what Capstan may do.
    std::vector<std::string> policies{"policy.json"};
    boost::json::object more{};  ///< words of the server: "delays", "capacity", "lag"
};

/// What was asked of AWS.
struct Call {
    std::int64_t number = 0;
    double at = 0;  ///< seconds, by the cloud's clock
    std::string service{}, action{}, principal{}, answer{};
    int status = 0;
    boost::json::value parameters{};

    std::string parameter(const std::string& name) const;
};

class AwsServer : public clouds::CloudServer {
public:
    /// Why there can be none; empty: there can.
    static std::string missing_because() { return clouds::package_missing_because("moto"); }
    explicit AwsServer(const World& world);

    /// -1: there is no such group.
    int desired(const std::string& group) const;
    /// Those of the group that are in its list, whatever their state.
    std::vector<boost::json::object> machines(const std::string& group) const;
    std::vector<std::string> groups() const;
    /// All so far, or those of that action.
    std::vector<Call> calls(const std::string& action = {}) const;
    /// The largest desired capacity that was ever asked for.
    int most_desired(const std::string& group) const;
    std::string calls_text() const override;
};

/// An account without groups, with a launch template to make them of and subnets to make them in.
World bare_account();
/// Settings with which groups are made of it.
clouds::StoryOptions provisioned();

/// AWS as a cloud of a pipeline. Its groups are read anew each second, for a story is short.
clouds::Part part_of(std::shared_ptr<AwsServer> server, const clouds::StoryOptions& options);

/// A document of deploy/aws for this cluster's account, with all statements of the files.
boost::json::object policy_of(const std::vector<std::string>& files);

}  // namespace capstan::aws
