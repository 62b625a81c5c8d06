#include "runtime/daemon/config_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <boost/asio/buffer.hpp>

namespace capstan::runtime {
namespace {

/// Whoever writes a file may take several steps.
constexpr Duration quiet_time = std::chrono::seconds(1);
constexpr std::uint32_t events_of_interest =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE;

}  // namespace

Result<std::unique_ptr<ConfigWatch>> ConfigWatch::open(io::Loop& loop, std::filesystem::path file,
                                                       std::function<void()> on_change) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor >= 0 && ::inotify_add_watch(descriptor, folder.c_str(), events_of_interest) >= 0)
        return std::unique_ptr<ConfigWatch>(
            new ConfigWatch(loop, std::move(file), std::move(on_change), descriptor));
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) ::close(descriptor);
    return fail(ErrorCode::unavailable, folder.string() + ": cannot be watched: " + why);
}

ConfigWatch::ConfigWatch(io::Loop& loop, std::filesystem::path file,
                         std::function<void()> on_change, int descriptor)
    : loop_(loop),
      file_(std::move(file)),
      on_change_(std::move(on_change)),
      known_(content()),
      events_(loop.io(), descriptor) {
    await_event();
}

ConfigWatch::~ConfigWatch() {
    *self_ = nullptr;
    if (timer_) loop_.cancel(*timer_);
}

std::string ConfigWatch::content() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void ConfigWatch::await_event() {
    // What happened does not matter, only that something did.
    events_.async_read_some(boost::asio::buffer(buffer_),
                            [self = self_](const boost::system::error_code& error, std::size_t) {
                                if (error || *self == nullptr) return;
                                ConfigWatch& watch = **self;
                                if (watch.timer_) watch.loop_.cancel(*watch.timer_);
                                watch.timer_ = watch.loop_.after(quiet_time, [self] {
                                    if (*self != nullptr) (*self)->look();
                                });
                                watch.await_event();
                            });
}

void ConfigWatch::look() {
    timer_.reset();
    std::string now = content();
    // In the middle of an exchange there may be none.
    if (now.empty() || now == known_) return;
    known_ = std::move(now);
    on_change_();
}

}  // namespace capstan::runtime
