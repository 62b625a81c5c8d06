#include "open_operations.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace capstan::gce {
namespace {

constexpr std::size_t open_most = 1000;
constexpr std::size_t asked_at_once = 20;
constexpr Duration open_life = std::chrono::minutes(15);
constexpr Duration pause = std::chrono::seconds(3);

}  // namespace

void OpenOperations::add(ResourceLink operation, Ended ended) {
    if (open_.size() >= open_most) open_.pop_front();
    open_.push_back({std::move(operation), std::move(ended), host_.monotonic()});
    if (background_.running() == 0) background_.spawn("polling operations", poll());
}

Task<void> OpenOperations::poll() {
    while (!open_.empty()) {
        co_await sleep_for(host_, pause);
        co_await ask();
    }
}

/// A call that fails ends the round: the calls for the other operations would most likely fail,
/// too.
Task<void> OpenOperations::ask() {
    for (std::size_t left = std::min(open_.size(), asked_at_once); left > 0; --left) {
        Open open = std::move(open_.front());
        open_.pop_front();
        const auto now = co_await as_result(ask_operation(client_, open.link));
        if (now && now->is_done) {
            open.ended(*now);
            continue;
        }
        const bool is_gone = !now && now.error().code == ErrorCode::not_found;
        if (!is_gone && host_.monotonic() - open.since < open_life)
            open_.push_back(std::move(open));
        if (!now && !is_gone) co_return;
    }
}

}  // namespace capstan::gce
