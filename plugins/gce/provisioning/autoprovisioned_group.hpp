/// The names and labels of groups that this plugin makes, which distinguish them from all others.
#pragma once

#include <string>
#include <string_view>

#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "provisioning_config.hpp"

namespace capstan::gce {

/// Label of instance templates and their machines; the value is label_of_cluster.
inline constexpr std::string_view made_for_label = "capstan-made-for";
/// Label of instance templates and their machines; the value is digest_of the plan.
inline constexpr std::string_view plan_label = "capstan-plan";

/// "nodeautoprovisioning-gce-n2-standard-4-us-ce-1a2b3c4d-5e6f": the beginning of the plan's name,
/// a hash of the plan's name and the cluster, and four digits of the cluster for is_name_for. It
/// names the instance template and the group, and is the base name of instances. At most 58
/// characters, since names of instances have five more. If the plan's name does not begin with a
/// lower-case letter, "g-" is prepended.
std::string name_of_made_group(std::string_view plan_name, std::string_view cluster);

/// Whether the name ends like those of groups made for this cluster. One in 65536 other names does,
/// too: the instance template decides.
bool is_name_for(std::string_view group_name, std::string_view cluster);

/// The cluster's name as a valid label value of Google. "prod" stays "prod". In another name, such
/// as "prod.example.com", each character other than a lower-case letter, digit, '-' or '_' becomes
/// a '-', and a hash is appended. At most 63 characters.
std::string label_of_cluster(std::string_view cluster);

/// Whether this plugin made the instance template with these labels for that cluster.
bool is_made_for(const Labels& labels, std::string_view cluster);

/// A hash of the plan's machine type, zone, spot, labels and taints: 16 hexadecimal digits.
std::string digest_of(const GroupPlan& plan);

/// The labels that nodes have by their provisioning model, as in GKE's node pools:
///     spot       ->  cloud.google.com/gke-provisioning=spot, cloud.google.com/gke-spot=true
///     on demand  ->  cloud.google.com/gke-provisioning=standard
Labels provisioning_labels(bool spot);

/// Whether Google accepts the label. `invalid_argument`: a sentence with the key.
Result<void> check_machine_label(std::string_view key, std::string_view value);

/// Google's labels (not Kubernetes') of instance template and machines: the source's, the
/// settings', and Capstan's. `unsupported`: Google does not accept one of them, or they are too
/// many.
Result<Labels> make_machine_labels(const GroupPlan& plan, const Labels& of_source,
                                   const MakingConfig& config);

/// "Created by Capstan for cluster prod: n2-standard-4 in us-central1-a, spot".
std::string describe_made_group(const GroupPlan& plan, std::string_view cluster);

}  // namespace capstan::gce
