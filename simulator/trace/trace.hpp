/// A production trace as the input of a simulation: pods with their lifetimes, and the kinds of
/// machines to choose from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "simulator/input.hpp"

namespace capstan::simulator::trace {

// Comma-separated values with a header line, as traces are published.

/// One row of a table. Its values are found by the names in the header.
class CsvRow {
public:
    CsvRow(const std::vector<std::string>& header, std::vector<std::string> values,
           std::string place)
        : header_(&header), values_(std::move(values)), place_(std::move(place)) {}

    /// "pods.csv:17"
    const std::string& place() const noexcept { return place_; }
    /// The value in a column. The table must have the column.
    const std::string& text(std::string_view column) const;
    /// A whole number of 0 or more; the error names place and column.
    Result<std::int64_t> natural(std::string_view column) const;
    /// Like natural(), but absent for an empty value.
    Result<std::optional<std::int64_t>> find_natural(std::string_view column) const;
    /// A decimal number of 0 or more; the error names place and column.
    Result<double> number(std::string_view column) const;

private:
    Error error_about(std::string_view column, std::string_view expected) const;
    const std::vector<std::string>* header_;
    std::vector<std::string> values_;
    std::string place_;
};

/// The table of one file, read whole. Values may be in double quotes, and a quote within them is
/// doubled. Lines end with LF or CRLF; empty lines are skipped. Rows refer to the table's header,
/// so the table must outlive its rows.
class CsvTable {
public:
    /// Fails for a row with too many or too few values, and for a quote that is not closed. The
    /// error names file and line.
    static Result<CsvTable> read(const std::filesystem::path& file);
    static Result<CsvTable> parse(std::string name, std::string_view text);

    bool has(std::string_view column) const;
    const std::string& name() const noexcept { return name_; }
    std::size_t size() const noexcept { return rows_.size(); }
    CsvRow row(std::size_t index) const;

private:
    struct Line {
        std::size_t number = 0;
        std::vector<std::string> values;
    };
    std::string name_;
    std::vector<std::string> header_;
    std::vector<Line> rows_;
};

/// Reads a folder with two tables in the format of Alibaba's openb traces; only that of the pods
/// has a column creation_time:
///     nodes  sn, cpu_milli, memory_mib, gpu, model
///     pods   name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, creation_time,
///            deletion_time, scheduled_time (seconds; the last may be empty)
/// Each kind of machine is a group without machines at the start and without a maximum. A pod
/// arrives at its creation_time and runs as long as in the trace: from its scheduled_time, or else
/// its creation_time, to its deletion_time. GPUs are counted in thousandths, so pods may share one;
/// a share is not assigned to one of the node's GPUs. The GPU models a pod accepts become a
/// required node affinity.
///
/// With one thread the files are read one after the other, otherwise all at once; the result is the
/// same. An error in a table names file and line.
Result<Input> read_trace(const std::filesystem::path& folder, int threads = 1);
/// Like read_trace, from two tables that have been read.
Result<Input> make_trace_input(const CsvTable& nodes, const CsvTable& pods);

/// The resource of nodes and pods that counts thousandths of GPUs.
inline constexpr const char* gpu_milli_resource = "alibabacloud.com/gpu-milli";

}  // namespace capstan::simulator::trace
