/// One measured case, as a line of JSON.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace capstan::bench {

/// The most memory the process ever held.
double peak_megabytes();
/// Of the processor, in all threads so far.
double process_cpu_seconds();

/// Seconds of each of several runs, and of the processor in them.
class Measured {
public:
    /// Calls `part` `repeat` times, `before` ahead of each, which is not measured.
    static Measured repeat(int times, const std::function<void()>& before,
                           const std::function<void()>& part);
    double median() const;
    /// Of this thread: beside other work it tells more than what the clock says.
    double cpu_median() const;
    /// {"case", "seconds", "seconds_all", "cpu_seconds", "rss_mb"} and what `more` has.
    boost::json::object line(std::string_view name, const boost::json::object& more) const;

private:
    std::vector<double> seconds_, cpu_seconds_;
};

}  // namespace capstan::bench
