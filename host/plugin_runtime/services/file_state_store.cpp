#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/duration.hpp>
#include <capstan/url.hpp>

#include "io/file_descriptor.hpp"
#include "plugin_runtime/services/state_store.hpp"

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::string_view state_extension = ".state";

/// The file name of an instance id: characters other than letters, digits, '-' and '_' become %XX.
std::string file_name(const PluginInstanceId& owner) {
    return percent_encode_unless(owner.value(),
                                 [](char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; }) +
           std::string(state_extension);
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

/// The state in the file; an empty one if there is no file. Absent: the file has something else.
Result<std::optional<InstanceState>> read_state_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        if (errno == ENOENT) return std::optional(InstanceState());
        return fail(ErrorCode::unavailable, "open " + file.string() + ": " + io::errno_message());
    }
    std::string bytes(state_text_limit, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (in.bad())
        return fail(ErrorCode::unavailable, "read " + file.string() + ": " + io::errno_message());
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return find_state(bytes);
}

Result<InstanceState> StateFolder::load(const PluginInstanceId& owner) {
    const std::filesystem::path file = directory_ / file_name(owner);
    CAPSTAN_TRY(std::optional<InstanceState> state, read_state_file(file));
    // Not put aside here, because the running instance would continue without its state.
    if (!state)
        return fail(ErrorCode::unavailable,
                    file.string() + " cannot be parsed; a restart of capstan puts it aside");
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

namespace {

/// A file that cannot be read now is not put aside: load() reports it.
bool is_unreadable_state(const std::filesystem::directory_entry& entry) {
    std::error_code error;
    if (entry.path().extension() != state_extension || !entry.is_regular_file(error)) return false;
    const auto state = read_state_file(entry.path());
    return state && !*state;
}

std::string put_aside(const std::filesystem::path& file) {
    const std::string aside = file.string() + ".unreadable";
    std::error_code error;
    std::filesystem::rename(file, aside, error);
    const std::string found = "plugin state " + file.string() + " cannot be parsed; ";
    if (error) return found + "it cannot be renamed to " + aside + ": " + error.message();
    return found + "renamed to " + aside + "; the last state in the memory ConfigMap is used";
}

}  // namespace

std::vector<std::string> put_aside_unreadable_states(const std::filesystem::path& directory) {
    std::vector<std::string> out;
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error))
        if (is_unreadable_state(*at)) out.push_back(put_aside(at->path()));
    return out;
}

}  // namespace capstan::plugin_runtime::services
