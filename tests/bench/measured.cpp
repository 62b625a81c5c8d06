#include "measured.hpp"

#include <algorithm>

#include <sys/resource.h>
#include <boost/json/array.hpp>

namespace capstan::bench {
namespace {

/// The most memory the process ever held.
double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

Measured Measured::repeat(int times, const std::function<void()>& before,
                          const std::function<void()>& part) {
    Measured out;
    for (int i = 0; i < times; ++i) {
        before();
        const auto start = std::chrono::steady_clock::now();
        part();
        out.seconds_.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return out;
}

double Measured::median() const {
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

boost::json::object Measured::line(std::string_view name, const boost::json::object& more) const {
    boost::json::object out{{"case", name}, {"seconds", median()}};
    out["seconds_all"] = boost::json::array(seconds_.begin(), seconds_.end());
    out["rss_mb"] = peak_megabytes();
    for (const auto& member : more) out[member.key()] = member.value();
    return out;
}

}  // namespace capstan::bench
