/// The instance types that are compiled in. `deploy/aws/make_instance_types --format table` writes
/// them, one type a line.
///
///     m5.large 2 8192 x 3 10 p - - 0 0 0 os
///
/// Name, cores, MiB, architectures, interfaces of the default card, IPv4 addresses of each, flags,
/// GPUs, Neuron devices, Neuron cores, GiB of local disks, EFA interfaces, usage classes. "-"
/// stands for none.
///
///     architectures    x: x86_64, a: arm64, i: i386, X: x86_64_mac, A: arm64_mac
///     flags            p: prefixes for pods, b: bare metal
///     devices          NVIDIA/T4/4/16384+...: manufacturer, name with "_" for blanks, count, MiB
///     usage classes    o: on-demand, s: spot, c: capacity-block
#pragma once

#include <string_view>
#include <vector>

#include "../api/instance_type.hpp"

namespace capstan::aws {

std::string_view built_in_type_lines() noexcept;
std::string_view built_in_types_date() noexcept;  ///< "2026-11-01": when EC2 was asked

/// Parses such lines. A line without a positive number of cores and amount of memory is left out.
std::vector<InstanceType> read_type_lines(std::string_view lines);

}  // namespace capstan::aws
