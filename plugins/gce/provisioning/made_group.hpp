/// What tells a group that this plugin made from all others: its name, and labels of its machines.
#pragma once

#include <string>
#include <string_view>

#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "making_config.hpp"

namespace capstan::gce {

/// On instance templates, and so on their machines; its value is label_of_cluster.
inline constexpr std::string_view made_for_label = "capstan-made-for";
/// Which of all plans this one is: digest_of.
inline constexpr std::string_view plan_label = "capstan-plan";

/// "nodeautoprovisioning-gce-n2-standard-4-us-c-1a2b3c4d-5e6f": the beginning of the plan's name, a
/// hash of all of it with the cluster, and is_name_for's four digits. One name for instance
/// template, group and base name: at most 58 characters, since machines get five more. Of a plan
/// whose name begins with no letter it begins with "g-".
std::string name_of_made_group(std::string_view plan_name, std::string_view cluster);

/// Whether names of groups for this cluster end like that. One of 65536 others does, too: the
/// instance template decides.
bool is_name_for(std::string_view group_name, std::string_view cluster);

/// The cluster as a label of Google's can have it: "prod" is "prod", and of others, such as
/// "prod.example.com", whatever is no small letter, digit, '-' or '_' is a '-', and a hash tells
/// them apart. At most 63 characters.
std::string label_of_cluster(std::string_view cluster);

/// Whether an instance template with these labels was made for that cluster, by this plugin.
bool is_made_for(const Labels& labels, std::string_view cluster);

/// Equal for equal plans: sixteen hexadecimal digits of machine type, zone, terms, labels, taints.
std::string digest_of(const GroupPlan& plan);

/// Labels by which nodes on these terms are known, as those of GKE's node pools:
///     spot       ->  cloud.google.com/gke-provisioning=spot, cloud.google.com/gke-spot=true
///     on demand  ->  cloud.google.com/gke-provisioning=standard
Labels provisioning_labels(bool spot);

/// What Google takes as a label of a machine. `invalid_argument`: a sentence with the key.
Result<void> check_machine_label(std::string_view key, std::string_view value);

/// Labels of Google's on instance template and machines: the source's, the settings', and ours.
/// `unsupported`: more of them than Google takes, or one that it does not take.
Result<Labels> make_machine_labels(const GroupPlan& plan, const Labels& of_source,
                                   const MakingConfig& config);

/// "Made by Capstan for cluster prod: n2-standard-4 in us-central1-a, spot".
std::string describe_made_group(const GroupPlan& plan, std::string_view cluster);

}  // namespace capstan::gce
