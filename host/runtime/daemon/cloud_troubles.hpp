/// Tells the log what is in the way at clouds: when it begins, rarely while it lasts, and when it
/// is over.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

/// Two problems of one cloud, code and subject are the same one, for sentences say how long it has
/// lasted. What begins in one pass at one cloud is one line, however many groups it is about.
/// Moments are of the clock of passes. [one thread]
class CloudTroubles {
public:
    /// What lasts is told again after so long.
    static constexpr Duration quiet = std::chrono::minutes(5);

    /// Borrows the log.
    explicit CloudTroubles(services::Logger& log) : log_(log) {}
    /// What a pass found in its way, see CloudsView::problems.
    void tell(const std::vector<Error>& problems, Time now);

private:
    using Key = std::pair<ErrorCode, std::string>;  ///< the code, and the subject
    struct Cloud {
        Time since{}, told_at{};
        std::map<Key, const Error*> present{};  ///< in this pass; borrows
        std::set<Key> told{};
    };
    void tell_begun(Cloud& cloud, Time now);
    void write(const std::vector<const Error*>& alike, const std::string& how_long);

    services::Logger& log_;
    std::map<std::string, Cloud> clouds_{};  ///< with something in the way, by "plugin eu"
};

}  // namespace capstan::runtime::daemon
