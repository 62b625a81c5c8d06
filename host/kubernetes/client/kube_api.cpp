#include "kubernetes/client/kube_api.hpp"

#include <utility>

namespace capstan::kubernetes::client {

SuccessNotifier::Subscription SuccessNotifier::subscribe(std::function<void()> on_answer) {
    // Ended subscriptions would accumulate while no request succeeds.
    std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
    auto out = std::make_shared<const std::function<void()>>(std::move(on_answer));
    listeners_.emplace_back(out);
    return out;
}

void SuccessNotifier::notify() {
    for (const auto& each : std::exchange(listeners_, {}))
        if (const Subscription listener = each.lock()) (*listener)();
}

}  // namespace capstan::kubernetes::client
