#include "runtime/services/services.hpp"

namespace capstan::runtime::services {

namespace {

capstan_status post(const capstan_host* host, capstan_task fn, void* user) noexcept {
    return guarded([&] { return context(host).tasks().post(fn, user); });
}

capstan_status after(const capstan_host* host, std::int64_t delay_ns, capstan_task fn, void* user,
                     std::uint64_t* timer) noexcept {
    return guarded(
        [&] { return context(host).tasks().after(Duration(delay_ns), fn, user, timer); });
}

capstan_status cancel_timer(const capstan_host* host, std::uint64_t timer) noexcept {
    return guarded([&] { return context(host).tasks().cancel_timer(timer); });
}

capstan_status run_blocking(const capstan_host* host, TaskBoard::Work work, capstan_task done,
                            void* user) noexcept {
    return guarded([&] { return context(host).tasks().blocking(work, done, user); });
}

}  // namespace

const capstan_exec exec{sizeof exec, 0, &post, &after, &cancel_timer, &run_blocking};

}  // namespace capstan::runtime::services
