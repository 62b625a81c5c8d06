#include "runtime/daemon/config_standing.hpp"

#include <span>
#include <utility>

#include "runtime/plugin_files/sha256.hpp"

namespace capstan::runtime::daemon {
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

std::string ConfigStanding::because() const {
    std::string out;
    const auto add = [&out](const std::string& reason) {
        out += (out.empty() ? "" : "; ") + reason;
    };
    if (is_gone) add("the file is gone, or empty");
    if (is_unread) add("the file has changed, and is read again at SIGHUP alone");
    if (!refusal.empty()) add("the file is refused: " + in_one_line(refusal));
    if (!waiting.empty()) {
        std::string keys;
        for (const std::string& key : waiting) keys += (keys.empty() ? "" : ", ") + key;
        add("waits for a restart: " + keys);
    }
    return out;
}

void ConfigStandingKeeper::take_over(const std::string& toml, std::vector<std::string> waiting,
                                     Time now) {
    {
        const std::lock_guard lock(mutex_);
        standing_.taken_over = now;
        standing_.hash = plugin_files::sha256_hex(std::as_bytes(std::span(toml)));
    }
    confirm(std::move(waiting), now);
}

void ConfigStandingKeeper::confirm(std::vector<std::string> waiting, Time now) {
    const std::lock_guard lock(mutex_);
    standing_.refusal.clear();
    standing_.waiting = std::move(waiting);
    standing_.is_gone = standing_.is_unread = false;
    settle(now);
}

void ConfigStandingKeeper::refuse(std::string complaint, Time now) {
    const std::lock_guard lock(mutex_);
    standing_.refusal = std::move(complaint);
    standing_.is_unread = false;
    settle(now);
}

void ConfigStandingKeeper::set_gone(bool is_gone, Time now) {
    const std::lock_guard lock(mutex_);
    standing_.is_gone = is_gone;
    settle(now);
}

void ConfigStandingKeeper::leave_unread(Time now) {
    const std::lock_guard lock(mutex_);
    standing_.is_unread = true;
    settle(now);
}

/// The mutex is held.
void ConfigStandingKeeper::settle(Time now) {
    const bool is_in_force = standing_.because().empty();
    if (is_in_force) {
        standing_.since.reset();
    } else if (!standing_.since) {
        standing_.since = now;
    }
    if (on_change_) on_change_(is_in_force, standing_.taken_over);
}

ConfigStanding ConfigStandingKeeper::standing() const {
    const std::lock_guard lock(mutex_);
    return standing_;
}

}  // namespace capstan::runtime::daemon
