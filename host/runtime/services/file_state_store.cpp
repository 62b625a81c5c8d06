#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/duration.hpp>
#include <capstan/url.hpp>

#include "io/file_descriptor.hpp"
#include "runtime/services/state_store.hpp"

namespace capstan::runtime::services {

namespace {

/// The file name of an instance id: characters other than letters, digits, '-' and '_' become %XX.
std::string file_name(const PluginInstanceId& owner) {
    return percent_encode_unless(owner.value(),
                                 [](char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; }) +
           ".state";
}

Result<void> write_synced(const io::FileDescriptor& fd, std::string_view text,
                          const std::string& file) {
    if (!write_all(fd, std::as_bytes(std::span(text))))
        return fail(ErrorCode::unavailable, "write " + file + ": " + io::errno_message());
    if (::fsync(fd.get()) != 0)
        return fail(ErrorCode::unavailable, "sync " + file + ": " + io::errno_message());
    return {};
}

/// Makes a rename survive a power failure.
void sync_directory(const std::filesystem::path& directory) {
    const io::FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) ::fsync(fd.get());
}

/// Between two tries to take a lock that another process holds.
constexpr Duration lock_pause = std::chrono::milliseconds(10);

class StateFolder final : public StateMedium {
public:
    StateFolder(std::filesystem::path directory, Duration lock_patience)
        : directory_(std::move(directory)), lock_patience_(lock_patience) {}
    Result<InstanceState> load(const PluginInstanceId& owner) override;
    Result<void> save(const PluginInstanceId& owner, const InstanceState& state) override;
    Result<io::FileDescriptor> hold() override;

private:
    const std::filesystem::path directory_;
    const Duration lock_patience_;
};

Result<io::FileDescriptor> StateFolder::hold() {
    io::FileDescriptor fd(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return fail(ErrorCode::unavailable,
                    "open " + directory_.string() + ": " + io::errno_message());
    const auto end = std::chrono::steady_clock::now() + lock_patience_;
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK)
            return fail(ErrorCode::unavailable,
                        "lock " + directory_.string() + ": " + io::errno_message());
        if (std::chrono::steady_clock::now() >= end)
            return fail(ErrorCode::unavailable, "lock " + directory_.string() +
                                                    ": another process has held it for " +
                                                    format_rough_duration(lock_patience_));
        std::this_thread::sleep_for(lock_pause);
    }
    return fd;
}

Result<InstanceState> StateFolder::load(const PluginInstanceId& owner) {
    const std::filesystem::path file = directory_ / file_name(owner);
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        if (errno == ENOENT) return InstanceState();
        return fail(ErrorCode::unavailable, "open " + file.string() + ": " + io::errno_message());
    }
    std::string bytes(state_text_limit, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    // A file that Capstan has not written is not overwritten: an operator has to decide.
    std::optional<InstanceState> state = find_state(bytes);
    if (!state)
        return fail(ErrorCode::unavailable, file.string() + " is not a file of plugin state");
    return *std::move(state);
}

Result<void> StateFolder::save(const PluginInstanceId& owner, const InstanceState& state) {
    const std::string file = (directory_ / file_name(owner)).string();
    const std::string fresh = file + ".new";
    {
        const io::FileDescriptor fd(
            ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!fd)
            return fail(ErrorCode::unavailable, "create " + fresh + ": " + io::errno_message());
        CAPSTAN_CHECK(write_synced(fd, state_text(state), fresh));
    }
    if (::rename(fresh.c_str(), file.c_str()) != 0) {
        return fail(ErrorCode::unavailable, "rename " + fresh + ": " + io::errno_message());
    }
    sync_directory(directory_);
    return {};
}

/// One call, shared by the calling thread and the working thread.
struct StateTurn {
    enum class Phase { waits, works, is_over, is_given_up };
    std::mutex mutex;
    std::condition_variable changed;
    Phase phase = Phase::waits;

    void work_off(const std::function<void()>& work) {
        {
            const std::lock_guard lock(mutex);
            if (phase == Phase::is_given_up) return;
            phase = Phase::works;
        }
        work();
        const std::lock_guard lock(mutex);
        phase = Phase::is_over;
        changed.notify_all();
    }
    /// Waits for the end. The answer: the phase at the end of the wait. A call that has not begun
    /// is given up.
    Phase wait(Duration patience) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, patience, [this] { return phase == Phase::is_over; });
        const Phase left = phase;
        if (phase == Phase::waits) phase = Phase::is_given_up;
        return left;
    }
};

}  // namespace

FileStateStore::FileStateStore(const std::filesystem::path& directory, Patience patience)
    : StateStore(std::make_shared<StateFolder>(directory, patience.lock)),
      name_("state folder " + directory.string()),
      patience_(patience.answer) {}

Result<void> FileStateStore::run(std::function<void()> work) {
    const auto turn = std::make_shared<StateTurn>();
    if (!pool_.submit([turn, work = std::move(work)] { turn->work_off(work); }))
        return fail(ErrorCode::unavailable, name_ + ": too many waiting calls");
    const StateTurn::Phase left = turn->wait(patience_);
    if (left == StateTurn::Phase::is_over) return {};
    return fail(ErrorCode::unavailable,
                name_ +
                    (left == StateTurn::Phase::works ? " has not responded for "
                                                     : " was busy with other calls for ") +
                    format_rough_duration(patience_));
}

}  // namespace capstan::runtime::services
