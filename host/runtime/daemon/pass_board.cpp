#include "runtime/daemon/pass_board.hpp"

#include "engine/each_action.hpp"

namespace capstan::runtime {
namespace {

/// Worth keeping: something was asked for, or somebody stays without help.
bool is_remarkable(const engine::Decision& decision) {
    return asks_for_something(decision) || !decision.unhelped.empty();
}

}  // namespace

bool asks_for_something(const engine::Decision& decision) {
    bool asks = false;
    for_each_action(decision, {},
                    [&asks](const auto&, const engine::ActionResult&) { asks = true; });
    return asks;
}

void PassBoard::put(std::shared_ptr<const PassReport> pass) {
    std::string text = is_remarkable(pass->decision()) ? pass_json(*pass) : std::string();
    const std::lock_guard lock(mutex_);
    last_ = std::move(pass);
    if (text.empty()) return;
    decisions_.push_front(std::move(text));
    if (decisions_.size() > ring_) decisions_.pop_back();
}

std::shared_ptr<const PassReport> PassBoard::last() const {
    const std::lock_guard lock(mutex_);
    return last_;
}

std::string PassBoard::decisions() const {
    const std::lock_guard lock(mutex_);
    std::string out = "[";
    for (const std::string& text : decisions_) out += (out.size() > 1 ? "," : "") + text;
    return out + "]";
}

}  // namespace capstan::runtime
