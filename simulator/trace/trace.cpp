#include "simulator/trace/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <future>
#include <set>
#include <tuple>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>
#include <capstan/whole_number.hpp>

#include "autoscaler/offline/simulated_groups.hpp"
#include "io/gzip.hpp"
#include "io/text_format.hpp"

namespace capstan::simulator::trace {
namespace {

constexpr std::array node_columns{"sn", "cpu_milli", "memory_mib", "gpu", "model"};
constexpr std::array pod_columns{"name",          "cpu_milli",     "memory_mib",
                                 "num_gpu",       "gpu_milli",     "gpu_spec",
                                 "creation_time", "deletion_time", "scheduled_time"};

/// A kind of machine, ordered by its resources.
struct MachineKind {
    std::int64_t cpu_milli = 0, memory_mib = 0, gpus = 0;
    std::string model{};
    auto operator<=>(const MachineKind&) const = default;
};

std::string kind_name(const MachineKind& kind) {
    std::string out = "cpu" + std::to_string(kind.cpu_milli / 1000) + "-mem" +
                      std::to_string(kind.memory_mib / 1024);
    if (kind.gpus > 0) out += "-gpu" + std::to_string(kind.gpus);
    if (!kind.model.empty()) out += "-" + kind.model;
    return out;
}

Result<MachineKind> read_kind(const CsvRow& row) {
    MachineKind kind{.model = row.text("model")};
    CAPSTAN_TRY(kind.cpu_milli, row.natural("cpu_milli"));
    CAPSTAN_TRY(kind.memory_mib, row.natural("memory_mib"));
    CAPSTAN_TRY(kind.gpus, row.natural("gpu"));
    return kind;
}

autoscaler::offline::SimulatedGroup group_of_kind(const MachineKind& kind) {
    autoscaler::offline::SimulatedGroup out{.id = kind_name(kind)};
    out.node.machine_type = out.id;
    out.node.capacity = {
        {"cpu", MilliCpu(kind.cpu_milli)}, {"memory", kind.memory_mib * 1_MiB}, {"pods", 110}};
    if (kind.gpus > 0) {
        out.node.capacity.set(gpu_milli_resource, kind.gpus * 1000);
        out.node.labels = {{std::string(well_known::nvidia_gpu_product_label), kind.model}};
    }
    return out;
}

Result<CloudSettings> make_trace_cloud(const CsvTable& nodes) {
    std::set<MachineKind> kinds;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        CAPSTAN_TRY(MachineKind kind, read_kind(nodes.row(i)));
        kinds.insert(std::move(kind));
    }
    std::vector<autoscaler::offline::SimulatedGroup> groups;
    for (const MachineKind& kind : kinds) groups.push_back(group_of_kind(kind));
    return autoscaler::offline::make_cloud_settings(nodes.name(), groups);
}

/// The accepted GPU models, "G2|G3", as a required node affinity.
std::vector<NodeSelectorTerm> accepted_models(const std::string& spec) {
    if (spec.empty()) return {};
    Requirement models{.key = std::string(well_known::nvidia_gpu_product_label),
                       .op = Operator::in};
    for (std::size_t at = 0; at <= spec.size();) {
        const std::size_t end = std::min(spec.find('|', at), spec.size());
        if (end > at) models.values.push_back(spec.substr(at, end - at));
        at = end + 1;
    }
    return {{.labels = {std::move(models)}}};
}

Result<engine::snapshot::PodSpec> read_spec(const CsvRow& row) {
    CAPSTAN_TRY(const std::int64_t cpu, row.natural("cpu_milli"));
    CAPSTAN_TRY(const std::int64_t mebibytes, row.natural("memory_mib"));
    CAPSTAN_TRY(const std::int64_t gpus, row.natural("num_gpu"));
    CAPSTAN_TRY(const std::int64_t gpu_milli, row.natural("gpu_milli"));
    engine::snapshot::PodSpec spec{.priority = 0};
    spec.requests = {{"cpu", MilliCpu(cpu)}, {"memory", mebibytes * 1_MiB}};
    if (gpus > 0) {
        spec.requests.set(gpu_milli_resource, gpus * gpu_milli);
        spec.affinity_required = accepted_models(row.text("gpu_spec"));
    }
    return spec;
}

Result<Action> read_pod(const CsvRow& row) {
    CAPSTAN_TRY(engine::snapshot::PodSpec spec, read_spec(row));
    CAPSTAN_TRY(const std::int64_t created, row.natural("creation_time"));
    CAPSTAN_TRY(const std::int64_t deleted, row.natural("deletion_time"));
    CAPSTAN_TRY(const auto scheduled, row.find_natural("scheduled_time"));
    const std::int64_t started = scheduled.value_or(created);
    if (deleted < started) {
        return fail(ErrorCode::invalid_argument,
                    row.place() + ": deletion_time: " + std::to_string(deleted) +
                        " is before the pod's start at " + std::to_string(started));
    }
    if (row.text("name").empty())
        return fail(ErrorCode::invalid_argument, row.place() + ": name: expects a name");
    PodBatch batch{.duration = std::chrono::seconds(deleted - started)};
    batch.pod.name = row.text("name");
    batch.pod.spec = std::move(spec);
    return Action{.after = std::chrono::seconds(created), .what = std::move(batch)};
}

Result<std::vector<Action>> read_pods(const CsvTable& pods) {
    std::vector<Action> actions;
    std::set<std::string> names;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        const CsvRow row = pods.row(i);
        CAPSTAN_TRY(Action action, read_pod(row));
        if (!names.insert(row.text("name")).second) {
            return fail(ErrorCode::invalid_argument,
                        row.place() + ": name: " + in_quotes(row.text("name")) + " is not unique");
        }
        actions.push_back(std::move(action));
    }
    std::ranges::sort(actions, {}, [](const Action& action) {
        return std::pair(action.after, std::get<PodBatch>(action.what).pod.name);
    });
    return actions;
}

template <std::size_t n>
std::string missing_column(const CsvTable& table, const std::array<const char*, n>& columns) {
    for (const char* const column : columns) {
        if (!table.has(column)) return column;
    }
    return {};
}

template <std::size_t n>
Result<void> demand_columns(const CsvTable& table, const std::array<const char*, n>& columns) {
    const std::string missing = missing_column(table, columns);
    if (missing.empty()) return {};
    return fail(ErrorCode::invalid_argument,
                table.name() + ":1: has no column " + in_quotes(missing));
}

/// "pods.csv", or compressed "pods.csv.gz".
bool is_csv(const std::filesystem::path& file) {
    return file.extension() == ".csv" ||
           (file.extension() == ".gz" && file.stem().extension() == ".csv");
}

/// The CSV files of the folder, sorted by name.
Result<std::vector<std::filesystem::path>> csv_files(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (auto at = std::filesystem::directory_iterator(folder, error);
         !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        if (is_csv(at->path())) files.push_back(at->path());
    }
    if (error) return fail(ErrorCode::not_found, folder.string() + ": " + error.message());
    std::ranges::sort(files);
    return files;
}

}  // namespace

Result<Input> make_trace_input(const CsvTable& nodes, const CsvTable& pods) {
    CAPSTAN_CHECK(demand_columns(nodes, node_columns));
    CAPSTAN_CHECK(demand_columns(pods, pod_columns));
    Input input{.title = "trace of " + counted(pods.size(), "pod"), .source = pods.name()};
    CAPSTAN_TRY(CloudSettings cloud, make_trace_cloud(nodes));
    input.clouds.push_back(std::move(cloud));
    CAPSTAN_TRY(std::vector<Action> actions, read_pods(pods));
    input.steps.emplace_back().actions = std::move(actions);
    return input;
}

Result<Input> read_trace(const std::filesystem::path& folder, int threads) {
    CAPSTAN_TRY(const auto files, csv_files(folder));
    // Deferred, a file is read at its get(); otherwise all are read at once. A trace has two files.
    const auto when = threads == 1 ? std::launch::deferred : std::launch::async;
    std::vector<std::future<Result<CsvTable>>> tables;
    for (const auto& file : files)
        tables.push_back(std::async(when, [file] { return CsvTable::read(file); }));
    std::optional<CsvTable> nodes, pods;
    for (auto& read : tables) {
        CAPSTAN_TRY(CsvTable table, read.get());
        std::optional<CsvTable>& slot = table.has("creation_time") ? pods : nodes;
        if (slot) {
            return fail(ErrorCode::invalid_argument,
                        folder.string() + ": both " + slot->name() + " and " + table.name() +
                            " look like the list of " + (&slot == &pods ? "pods" : "nodes"));
        }
        slot = std::move(table);
    }
    if (!nodes || !pods) {
        return fail(ErrorCode::not_found,
                    folder.string() + ": has no CSV file of " + (nodes ? "pods" : "nodes") +
                        "; a trace is two CSV files, one of nodes and one of pods");
    }
    return make_trace_input(*nodes, *pods);
}

namespace {

/// Takes the values of one row off the front of `text`, and sets `lines` to the lines it spans.
/// Empty: a quote is not closed.
std::optional<std::vector<std::string>> take_row(std::string_view& text, std::size_t& lines) {
    std::vector<std::string> values(1);
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
            values.back() += text[++at];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            values.emplace_back();
        } else if (c == '\n' && !quoted) {
            break;
        } else {
            values.back() += c;
        }
    }
    const std::size_t taken = std::min(at + 1, text.size());
    lines = static_cast<std::size_t>(std::count(text.begin(), text.begin() + taken, '\n'));
    text.remove_prefix(taken);
    if (quoted) return std::nullopt;
    if (values.back().ends_with('\r')) values.back().pop_back();
    return values;
}

bool is_empty(const std::vector<std::string>& values) {
    return values.size() == 1 && values.front().empty();
}

std::string line_place(const std::string& name, std::size_t line) {
    return name + ":" + std::to_string(line);
}

}  // namespace

const std::string& CsvRow::text(std::string_view column) const {
    const auto at = std::ranges::find(*header_, column);
    return values_[static_cast<std::size_t>(at - header_->begin())];
}

Error CsvRow::error_about(std::string_view column, std::string_view expected) const {
    return Error{.code = ErrorCode::invalid_argument,
                 .message = place_ + ": " + std::string(column) + ": expects " +
                            std::string(expected) + ", found " + in_quotes(text(column))};
}

Result<std::int64_t> CsvRow::natural(std::string_view column) const {
    const auto number = find_whole_number(text(column));
    if (number && *number >= 0) return *number;
    return fail(error_about(column, "a whole number of 0 or more"));
}

Result<std::optional<std::int64_t>> CsvRow::find_natural(std::string_view column) const {
    if (text(column).empty()) return std::optional<std::int64_t>();
    CAPSTAN_TRY(const std::int64_t number, natural(column));
    return std::optional(number);
}

Result<double> CsvRow::number(std::string_view column) const {
    const std::string& written = text(column);
    double value = 0;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    const bool whole = error == std::errc() && end == written.data() + written.size();
    if (whole && std::isfinite(value) && value >= 0) return value;
    return fail(error_about(column, "a number of 0 or more"));
}

Result<CsvTable> CsvTable::read(const std::filesystem::path& file) {
    CAPSTAN_TRY(const std::string text, io::read_text(file));
    if (io::is_blank(text))
        return fail(ErrorCode::invalid_argument,
                    file.string() + ": " + std::string(io::empty_file));
    return parse(file.string(), text);
}

Result<CsvTable> CsvTable::parse(std::string name, std::string_view text) {
    CsvTable out;
    out.name_ = std::move(name);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::size_t lines = 0;
    for (std::size_t line = 1; !text.empty(); line += lines) {
        auto values = take_row(text, lines);
        const std::string place = line_place(out.name_, line);
        if (!values) return fail(ErrorCode::invalid_argument, place + ": unterminated quote");
        if (is_empty(*values)) continue;
        if (out.header_.empty()) {
            out.header_ = std::move(*values);
        } else if (values->size() != out.header_.size()) {
            return fail(ErrorCode::invalid_argument,
                        place + ": has " + counted(values->size(), "value") +
                            ", but the header has " + counted(out.header_.size(), "column"));
        } else {
            out.rows_.push_back({line, std::move(*values)});
        }
    }
    return out;
}

bool CsvTable::has(std::string_view column) const {
    return std::ranges::find(header_, column) != header_.end();
}

CsvRow CsvTable::row(std::size_t index) const {
    const Line& line = rows_[index];
    return CsvRow(header_, line.values, line_place(name_, line.number));
}

}  // namespace capstan::simulator::trace
