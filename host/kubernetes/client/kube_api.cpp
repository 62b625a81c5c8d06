#include "kubernetes/client/kube_api.hpp"

#include <utility>

namespace capstan::kubernetes::client {

AnswerBell::Subscription AnswerBell::subscribe(std::function<void()> on_answer) {
    // Those that have ended would gather as long as no request succeeds.
    std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
    auto out = std::make_shared<const std::function<void()>>(std::move(on_answer));
    listeners_.emplace_back(out);
    return out;
}

void AnswerBell::ring() {
    for (const auto& each : std::exchange(listeners_, {}))
        if (const Subscription listener = each.lock()) (*listener)();
}

}  // namespace capstan::kubernetes::client
