/// The output of `capstan cluster`: addresses and files, commands to type, then events.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

#include "commands/result_output.hpp"
#include "simulator/live/live_events.hpp"

namespace capstan::simulator::program {

struct ClusterPlaces {
    std::string title{};
    std::string url{};
    std::string admin{};  ///< URL of the daemon's admin port: "http://127.0.0.1:8085"
    std::filesystem::path kubeconfig{}, config{}, state{}, log{};
    bool runs_daemon = false;
    double speed = 1;
    std::vector<std::string> warnings{};
};

/// Prints text, one JSON object per line, or YAML documents. Each line is flushed at once.
class ClusterReport {
public:
    ClusterReport(std::ostream& out, commands::OutputFormat format) : out_(out), format_(format) {}

    void open(const ClusterPlaces& places);
    /// `at`: real time from the start.
    void print(Duration at, const simulator::live::LiveLine& line);

private:
    void print(const ClusterPlaces& places);
    void print(const boost::json::object& object);

    std::ostream& out_;
    const commands::OutputFormat format_;
};

}  // namespace capstan::simulator::program
