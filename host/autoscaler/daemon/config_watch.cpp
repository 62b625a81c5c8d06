#include "autoscaler/daemon/config_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "plugin_runtime/plugin_files/sha256.hpp"

namespace capstan::autoscaler::daemon {

namespace fs = std::filesystem;

namespace {

/// A file may be written in several steps.
constexpr Duration quiet_time = std::chrono::seconds(1);
/// How often a missing file is looked for.
constexpr Duration absent_period = std::chrono::seconds(10);
constexpr std::uint32_t events_of_interest =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE;
/// As many links as Linux follows; more of them are a cycle.
constexpr int links_max = 40;

void put_before(std::deque<fs::path>& parts, const fs::path& path) {
    parts.insert(parts.begin(), path.begin(), path.end());
}

/// The folders of the file and of each symbolic link on the way to it: there is an event in one of
/// them when another file takes the place of this one. Where a part of the path is missing, the
/// folders up to it.
std::vector<fs::path> folders_on_the_way(const fs::path& file) {
    std::vector<fs::path> out;
    fs::path walked;  // without links
    std::deque<fs::path> rest;
    put_before(rest, fs::absolute(file));
    int links = 0;
    while (!rest.empty()) {
        const fs::path part = rest.front();
        rest.pop_front();
        std::error_code error;
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            walked = walked.parent_path();
        } else if (const fs::path target = fs::read_symlink(walked / part, error); !error) {
            if (++links > links_max) return out;
            out.push_back(walked);
            put_before(rest, target);
        } else {
            // An absolute path begins anew with its "/".
            walked /= part;
        }
    }
    out.push_back(walked.parent_path());
    return out;
}

}  // namespace

Result<std::unique_ptr<ConfigWatch>> ConfigWatch::open(io::Loop& loop, std::filesystem::path file,
                                                       std::function<void()> on_change,
                                                       std::function<void(bool)> on_gone,
                                                       std::string known) {
    const fs::path folder = fs::absolute(file).parent_path();
    const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor >= 0 && ::inotify_add_watch(descriptor, folder.c_str(), events_of_interest) >= 0)
        return std::unique_ptr<ConfigWatch>(
            new ConfigWatch(loop, std::move(file), std::move(on_change), std::move(on_gone),
                            std::move(known), descriptor));
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) ::close(descriptor);
    return fail(ErrorCode::unavailable, folder.string() + ": cannot be watched: " + why);
}

ConfigWatch::ConfigWatch(io::Loop& loop, std::filesystem::path file,
                         std::function<void()> on_change, std::function<void(bool)> on_gone,
                         std::string known, int descriptor)
    : loop_(loop),
      file_(std::move(file)),
      on_change_(std::move(on_change)),
      on_gone_(std::move(on_gone)),
      events_(loop.io(), descriptor) {
    // Before the file is read, so that a change in between causes an event.
    follow_links();
    seen_ = content();
    known_ = known.empty() ? seen_ : std::move(known);
    await_event();
    if (seen_.empty() || seen_ != known_) notify_in(quiet_time);
}

ConfigWatch::~ConfigWatch() {
    *self_ = nullptr;
    if (timer_) loop_.cancel(*timer_);
}

std::string ConfigWatch::content() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void ConfigWatch::follow_links() {
    std::set<int> now;
    for (const fs::path& folder : folders_on_the_way(file_)) {
        const int watch =
            ::inotify_add_watch(events_.native_handle(), folder.c_str(), events_of_interest);
        if (watch >= 0) now.insert(watch);
    }
    for (const int watch : watches_)
        if (!now.contains(watch)) ::inotify_rm_watch(events_.native_handle(), watch);
    watches_ = std::move(now);
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
    follow_links();
    std::string now = content();
    // Another file of the folder has changed, which must not delay a report.
    if (now == seen_) return;
    seen_ = std::move(now);
    notify_in(quiet_time);
}

void ConfigWatch::notify_in(Duration delay) {
    if (timer_) loop_.cancel(*timer_);
    timer_ = loop_.after(delay, [self = self_] {
        if (*self != nullptr) (*self)->notify();
    });
}

void ConfigWatch::notify() {
    timer_.reset();
    // A writer that keeps the file open causes no event.
    look();
    if (timer_) return;
    const bool is_gone = seen_.empty();
    if (std::exchange(is_gone_, is_gone) != is_gone && on_gone_) on_gone_(is_gone);
    // The folder may be gone, too, and its return causes no event.
    if (is_gone) return notify_in(absent_period);
    if (seen_ == known_) return;
    known_ = seen_;
    on_change_();
}

namespace {

/// Lines as one.
std::string in_one_line(const std::string& lines) {
    std::string out;
    for (const char c : lines) {
        if (c != '\n') {
            out += c;
        } else if (!out.empty() && !out.ends_with("; ")) {
            out += "; ";
        }
    }
    return out.ends_with("; ") ? out.substr(0, out.size() - 2) : out;
}

}  // namespace

std::string ConfigStatus::because() const {
    std::string out;
    const auto add = [&out](const std::string& reason) {
        out += (out.empty() ? "" : "; ") + reason;
    };
    if (is_gone) add("file missing or empty");
    if (is_unread) add("file has changed; send SIGHUP to reload it");
    if (!refusal.empty()) add("file has errors: " + in_one_line(refusal));
    if (!waiting.empty()) {
        std::string keys;
        for (const std::string& key : waiting) keys += (keys.empty() ? "" : ", ") + key;
        add("changed settings that need a restart: " + keys);
    }
    return out;
}

void ConfigStatusKeeper::take_over(const std::string& toml, std::vector<std::string> waiting,
                                   Time now) {
    {
        const std::lock_guard lock(mutex_);
        status_.taken_over = now;
        status_.hash = plugin_runtime::plugin_files::sha256_hex(std::as_bytes(std::span(toml)));
    }
    confirm(std::move(waiting), now);
}

void ConfigStatusKeeper::confirm(std::vector<std::string> waiting, Time now) {
    const std::lock_guard lock(mutex_);
    status_.refusal.clear();
    status_.waiting = std::move(waiting);
    status_.is_gone = status_.is_unread = false;
    settle(now);
}

void ConfigStatusKeeper::refuse(std::string complaint, Time now) {
    const std::lock_guard lock(mutex_);
    status_.refusal = std::move(complaint);
    status_.is_unread = false;
    settle(now);
}

void ConfigStatusKeeper::set_gone(bool is_gone, Time now) {
    const std::lock_guard lock(mutex_);
    status_.is_gone = is_gone;
    settle(now);
}

void ConfigStatusKeeper::leave_unread(Time now) {
    const std::lock_guard lock(mutex_);
    status_.is_unread = true;
    settle(now);
}

/// The mutex is held.
void ConfigStatusKeeper::settle(Time now) {
    const bool is_in_force = status_.because().empty();
    if (is_in_force) {
        status_.since.reset();
    } else if (!status_.since) {
        status_.since = now;
    }
    if (on_change_) on_change_(is_in_force, status_.taken_over);
}

ConfigStatus ConfigStatusKeeper::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

}  // namespace capstan::autoscaler::daemon
