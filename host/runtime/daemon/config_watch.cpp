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
      seen_(known_),
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
                                (*self)->look();
                                (*self)->await_event();
                            });
}

void ConfigWatch::look() {
    std::string now = content();
    // Something else in the folder, which must not put off what is due.
    if (now == seen_) return;
    seen_ = std::move(now);
    if (timer_) loop_.cancel(*timer_);
    timer_ = loop_.after(quiet_time, [self = self_] {
        if (*self != nullptr) (*self)->tell();
    });
}

void ConfigWatch::tell() {
    timer_.reset();
    // Whoever keeps the file open writes without an event.
    look();
    // In the middle of an exchange there may be none.
    if (timer_ || seen_.empty() || seen_ == known_) return;
    known_ = seen_;
    on_change_();
}

}  // namespace capstan::runtime
