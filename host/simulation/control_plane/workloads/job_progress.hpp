/// How far a Job is, and what is to be done about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

struct JobProgress {
    std::optional<std::int64_t> completions{};  ///< nothing: any success is enough
    std::int64_t parallelism = 1;
    std::int64_t active = 0, succeeded = 0, failed = 0;
    std::int64_t backoff_limit = 6;
    bool is_suspended = false, is_too_late = false;
};

/// As its spec and its status say; how many are active and whether it is too late, they do not.
JobProgress progress_of(const json::object& job);

/// Why it is over: the type and reason of the condition that says so. Nothing: it goes on.
struct JobEnd {
    std::string_view type{}, reason{}, message{};
};
std::optional<JobEnd> find_end(const JobProgress& progress);

/// How many pods are to run now.
std::int64_t wanted_pods(const JobProgress& progress);
/// "0,2-4": indexes, in the form of status.completedIndexes; and back, what is no index left out.
std::string index_text(const std::vector<std::int64_t>& ascending);
std::vector<std::int64_t> parse_indexes(std::string_view text);

}  // namespace capstan::simulation
