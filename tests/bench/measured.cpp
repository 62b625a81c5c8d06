#include "measured.hpp"

#include <algorithm>
#include <ctime>

#include <sys/resource.h>
#include <boost/json/array.hpp>

namespace capstan::bench {
namespace {

double seconds_by(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// CPU seconds of this thread.
double cpu_now() { return seconds_by(CLOCK_THREAD_CPUTIME_ID); }

double median_of(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds.empty() ? 0 : seconds[seconds.size() / 2];
}

}  // namespace

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

double process_cpu_seconds() { return seconds_by(CLOCK_PROCESS_CPUTIME_ID); }

Measured Measured::repeat(int times, const std::function<void()>& before,
                          const std::function<void()>& part) {
    Measured out;
    for (int i = 0; i < times; ++i) {
        before();
        const double cpu_start = cpu_now();
        const auto start = std::chrono::steady_clock::now();
        part();
        out.seconds_.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        out.cpu_seconds_.push_back(cpu_now() - cpu_start);
    }
    return out;
}

double Measured::median() const { return median_of(seconds_); }
double Measured::cpu_median() const { return median_of(cpu_seconds_); }

boost::json::object Measured::line(std::string_view name, const boost::json::object& more) const {
    boost::json::object out{{"case", name}, {"seconds", median()}};
    out["seconds_all"] = boost::json::array(seconds_.begin(), seconds_.end());
    out["cpu_seconds"] = cpu_median();
    out["rss_mb"] = peak_megabytes();
    for (const auto& member : more) out[member.key()] = member.value();
    return out;
}

}  // namespace capstan::bench
