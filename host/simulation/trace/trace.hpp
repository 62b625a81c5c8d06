/// A production trace as the input of a simulation: pods that come and go, and the machines that
/// there are to choose from.
#pragma once

#include <filesystem>

#include <capstan/result.hpp>

#include "simulation/input.hpp"
#include "simulation/trace/csv.hpp"

namespace capstan::simulation::trace {

/// From a folder with two tables of the openb kind, told apart by their columns:
///     nodes  sn, cpu_milli, memory_mib, gpu, model
///     pods   name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, creation_time,
///            deletion_time, scheduled_time (seconds; the last may be empty)
/// Each kind of machine is a group without a maximum. A pod arrives at its creation, and runs for
/// as long as it did in the trace: from being scheduled, or else created, to being deleted. GPUs
/// are counted in thousandths, so that pods may share one; which of a node's GPUs a share is of, is
/// not looked at. The models a pod accepts are a required node affinity.
///
/// With one thread its files are read one after the other, else all at once; the answer is the
/// same. The error names file and line.
Result<Input> read_trace(const std::filesystem::path& folder, int threads = 1);
/// The same of tables at hand.
Result<Input> make_trace_input(const CsvTable& nodes, const CsvTable& pods);

/// Thousandths of GPUs, on nodes and in requests.
inline constexpr const char* gpu_milli_resource = "alibabacloud.com/gpu-milli";

}  // namespace capstan::simulation::trace
