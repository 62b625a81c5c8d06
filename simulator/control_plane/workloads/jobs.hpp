/// The arithmetic of Jobs: how many pods should run, when a Job is over, and lists of indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::simulator::control_plane {

struct JobProgress {
    std::optional<std::int64_t> completions{};  ///< absent: one success is enough
    std::int64_t parallelism = 1;
    std::int64_t active = 0, succeeded = 0, failed = 0;
    std::int64_t backoff_limit = 6;
    bool is_suspended = false, is_too_late = false;
};

/// The condition of a Job that is over.
struct JobEnd {
    std::string_view type{}, reason{}, message{};
};
/// The end of a Job with that progress; absent: the Job goes on.
std::optional<JobEnd> find_end(const JobProgress& progress);

/// The number of pods that should run now.
std::int64_t wanted_pods(const JobProgress& progress);
/// Indexes in the form of status.completedIndexes: "0,2-4".
std::string index_text(const std::vector<std::int64_t>& ascending);
/// The indexes of such a text. Malformed parts are left out.
std::vector<std::int64_t> parse_indexes(std::string_view text);

}  // namespace capstan::simulator::control_plane
