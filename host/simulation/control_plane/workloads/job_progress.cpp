#include "simulation/control_plane/workloads/job_progress.hpp"

#include <algorithm>
#include <charconv>

#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

std::optional<std::int64_t> parse_index(std::string_view text) {
    std::int64_t out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return out;
}

}  // namespace

JobProgress progress_of(const json::object& job) {
    return {.completions = integer_at(job, "spec.completions"),
            .parallelism = number_or(job, "spec.parallelism", 1),
            .succeeded = number_or(job, "status.succeeded", 0),
            .failed = number_or(job, "status.failed", 0),
            .backoff_limit = number_or(job, "spec.backoffLimit", 6),
            .is_suspended = is_true_at(job, "spec.suspend")};
}

std::optional<JobEnd> find_end(const JobProgress& progress) {
    if (progress.is_too_late)
        return JobEnd{"Failed", "DeadlineExceeded",
                      "Job was active longer than specified deadline"};
    if (progress.failed > progress.backoff_limit)
        return JobEnd{"Failed", "BackoffLimitExceeded",
                      "Job has reached the specified backoff limit"};
    const bool is_enough = progress.completions ? progress.succeeded >= *progress.completions
                                                : progress.succeeded > 0 && progress.active == 0;
    if (is_enough)
        return JobEnd{"Complete", "CompletionsReached",
                      "Reached expected number of succeeded pods"};
    return std::nullopt;
}

std::int64_t wanted_pods(const JobProgress& progress) {
    if (progress.is_suspended) return 0;
    // Once one has succeeded by itself, the others may come to their end and no more come.
    if (!progress.completions)
        return progress.succeeded > 0 ? std::min(progress.active, progress.parallelism)
                                      : progress.parallelism;
    return std::clamp<std::int64_t>(*progress.completions - progress.succeeded, 0,
                                    progress.parallelism);
}

std::string index_text(const std::vector<std::int64_t>& ascending) {
    std::string out;
    for (std::size_t i = 0; i < ascending.size();) {
        std::size_t last = i;
        while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
        out += (out.empty() ? "" : ",") + std::to_string(ascending[i]);
        if (last > i) out += (last > i + 1 ? "-" : ",") + std::to_string(ascending[last]);
        i = last + 1;
    }
    return out;
}

std::vector<std::int64_t> parse_indexes(std::string_view text) {
    std::vector<std::int64_t> out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::size_t dash = part.find('-');
        const auto first = parse_index(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_index(part.substr(dash + 1));
        for (std::int64_t i = first.value_or(0); first && last && i <= *last; ++i) out.push_back(i);
    }
    return out;
}

}  // namespace capstan::simulation
