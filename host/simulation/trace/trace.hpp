/// A production trace as the input of a simulation: pods that come and go, and the machines that
/// there are to choose from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/input.hpp"

namespace capstan::simulation::trace {

// Comma-separated values with a header line, as traces are published.

/// One line of a table. Its values are found by the names in the header.
class CsvRow {
public:
    CsvRow(const std::vector<std::string>& header, std::vector<std::string> values,
           std::string place)
        : header_(&header), values_(std::move(values)), place_(std::move(place)) {}

    /// "pods.csv:17"
    const std::string& place() const noexcept { return place_; }
    /// The value of a column that the table has.
    const std::string& text(std::string_view column) const;
    /// A whole number that is not negative; the error names place and column.
    Result<std::int64_t> natural(std::string_view column) const;
    /// The same; nothing where the value is empty.
    Result<std::optional<std::int64_t>> find_natural(std::string_view column) const;
    /// A decimal number that is not negative.
    Result<double> number(std::string_view column) const;

private:
    Error error_about(std::string_view column, std::string_view expected) const;
    const std::vector<std::string>* header_;
    std::vector<std::string> values_;
    std::string place_;
};

/// A table of one file, read whole. Values may be put in double quotes, a quote in them doubled;
/// lines end with LF or CRLF, empty ones count for nothing.
class CsvTable {
public:
    /// The error names file and line: a row with too many or too few values, an open quote.
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
