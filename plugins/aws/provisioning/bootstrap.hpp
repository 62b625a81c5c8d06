/// The user data of new machines: what registers a node with the labels and taints of its group.
///
/// Kubelet gives a node its labels and taints once, when it registers, and AWS passes no tag of an
/// Auto Scaling group on to it. So they are written into what the machine starts with, in the
/// words of the image: the arguments of bootstrap.sh (EKS on Amazon Linux 2), one more NodeConfig
/// (nodeadm, Amazon Linux 2023), or settings (Bottlerocket).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/result.hpp>
#include <capstan/taints.hpp>

namespace capstan::aws {

/// What reads the user data on the machine.
enum class Bootstrap : std::uint8_t { unknown, eks_script, nodeadm, bottlerocket };

/// "bootstrap.sh", "nodeadm", "Bottlerocket"; "unknown".
std::string_view name_of(Bootstrap bootstrap) noexcept;

/// Of user data that is decoded. What is compressed or empty is unknown.
Bootstrap find_bootstrap(std::string_view user_data);

/// Whether nodes have taints by it already. They would be on no template.
bool has_taints(std::string_view user_data) noexcept;

/// User data with which nodes register with these as well; without any it is as it was. Labels of
/// the source stay, and of one key ours counts. `unsupported`: it is not known how, or the machine
/// would not take it (more than 16 KiB).
Result<std::string> add_to_user_data(std::string_view user_data, const Labels& labels,
                                     const std::vector<Taint>& taints);

}  // namespace capstan::aws
