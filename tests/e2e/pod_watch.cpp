#include "pod_watch.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace capstan::e2e {
namespace {

/// A line for each change: type, pod, node, deletion time, readiness.
constexpr auto columns =
    "jsonpath={.type},{.object.metadata.name},{.object.spec.nodeName},"
    "{.object.metadata.deletionTimestamp},"
    "{.object.status.conditions[?(@.type==\"Ready\")].status}{\"\\n\"}";

std::array<std::string_view, 5> cells_of(std::string_view line) {
    std::array<std::string_view, 5> out{};
    for (std::string_view& cell : out) {
        const std::size_t end = std::min(line.find(','), line.size());
        cell = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return out;
}

}  // namespace

PodWatch::PodWatch(const Cluster& cluster)
    : log_(cluster.folder() / "pods"),
      process_(cluster.start_kubectl(
          {"get", "pods", "--watch", "--output-watch-events", "--output", columns}, log_)) {}

void PodWatch::read() {
    if (!process_->is_running()) throw std::runtime_error("the watch of the pods has ended");
    std::ifstream in(log_);
    in.seekg(static_cast<std::streamoff>(read_));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::size_t at = 0;
    for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
        take(std::string_view(text).substr(at, end - at));
    read_ += at;
}

void PodWatch::take(std::string_view line) {
    const auto [type, name, node, deleted, is_ready] = cells_of(line);
    const std::string pod(name);
    seen_.insert(pod);
    std::string& at = present_[pod];
    if (!at.empty()) --ready_;
    at = deleted.empty() && is_ready == "True" ? node : "";
    if (type == "DELETED") {
        present_.erase(pod);
    } else if (!at.empty()) {
        ++ready_;
    }
    min_ready_ = std::min(min_ready_, ready_);
}

std::size_t PodWatch::ready() {
    read();
    return ready_;
}

std::size_t PodWatch::present() {
    read();
    return present_.size();
}

std::map<std::string, std::vector<std::string>> PodWatch::ready_by_node() {
    read();
    std::map<std::string, std::vector<std::string>> out;
    for (const auto& [pod, node] : present_)
        if (!node.empty()) out[node].push_back(pod);
    return out;
}

const std::set<std::string>& PodWatch::seen() {
    read();
    return seen_;
}

void PodWatch::begin_counting() {
    read();
    min_ready_ = ready_;
}

std::size_t PodWatch::min_ready() {
    read();
    return min_ready_;
}

}  // namespace capstan::e2e
