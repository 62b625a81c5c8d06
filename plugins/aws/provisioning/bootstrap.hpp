/// Adds labels and taints to user data, so that nodes register with them.
///
/// Kubelet sets the labels and taints of a node when it registers the node, and it does not see the
/// tags of the Auto Scaling group. So they are written into the user data, in the format that the
/// image reads: arguments of bootstrap.sh (EKS on Amazon Linux 2), another NodeConfig (nodeadm,
/// Amazon Linux 2023), or settings (Bottlerocket).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/result.hpp>
#include <capstan/taints.hpp>

namespace capstan::aws {

/// The program that reads the user data on the machine.
enum class Bootstrap : std::uint8_t { unknown, eks_script, nodeadm, bottlerocket };

/// "bootstrap.sh", "nodeadm", "Bottlerocket"; "unknown".
std::string_view name_of(Bootstrap bootstrap) noexcept;

/// `user_data` is decoded, not base64. Compressed or empty user data is unknown.
Bootstrap find_bootstrap(std::string_view user_data);

/// Whether the user data sets taints already. No template would show those taints.
bool has_taints(std::string_view user_data) noexcept;

/// The user data with these labels and taints added. Labels that the user data has already stay,
/// unless `labels` has the same key. `unsupported`: the format is unknown, a label or taint is not
/// allowed, or the result is larger than EC2's limit of 16 KiB.
Result<std::string> add_to_user_data(std::string_view user_data, const Labels& labels,
                                     const std::vector<Taint>& taints);

}  // namespace capstan::aws
