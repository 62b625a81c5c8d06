/// Measures one case and prints it as a line of JSON.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace capstan::bench {

/// The peak resident memory of the process so far.
double peak_megabytes();
/// CPU seconds of all threads of the process so far.
double process_cpu_seconds();

/// Wall seconds and CPU seconds of several runs.
class Measured {
public:
    /// Measures `times` calls of `part`; calls `before` ahead of each, which is not measured.
    static Measured repeat(int times, const std::function<void()>& before,
                           const std::function<void()>& part);
    double median() const;
    /// Median CPU seconds of the calling thread. Other work on the machine changes them less than
    /// wall seconds.
    double cpu_median() const;
    /// {"case", "seconds", "seconds_all", "cpu_seconds", "rss_mb"} and the members of `more`.
    boost::json::object line(std::string_view name, const boost::json::object& more) const;

private:
    std::vector<double> seconds_, cpu_seconds_;
};

}  // namespace capstan::bench
