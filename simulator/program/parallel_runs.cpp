#include "simulator/program/parallel_runs.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "io/process.hpp"

namespace capstan::simulator::program {
namespace {

/// Whether all of it could be written.
bool send_text(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(to, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// A copy under way. Kills it unless it has ended.
class Copy {
public:
    Copy(std::size_t index, pid_t process, io::FileDescriptor from)
        : index_(index), process_(process), from_(std::move(from)) {}
    Copy(Copy&& other) noexcept
        : index_(other.index_),
          process_(std::exchange(other.process_, 0)),
          from_(std::move(other.from_)),
          text_(std::move(other.text_)) {}
    Copy& operator=(Copy&& other) noexcept {
        std::swap(index_, other.index_);
        std::swap(process_, other.process_);
        std::swap(from_, other.from_);
        std::swap(text_, other.text_);
        return *this;
    }
    ~Copy() {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        std::ignore = io::wait_for_exit(process_);
    }

    std::size_t index() const noexcept { return index_; }
    int descriptor() const noexcept { return from_.get(); }
    /// Reads what there is. False: the copy has sent everything.
    bool read() {
        std::array<char, 65536> buffer;
        const ssize_t n = ::read(from_.get(), buffer.data(), buffer.size());
        if (n > 0) text_.append(buffer.data(), static_cast<std::size_t>(n));
        return n > 0 || (n < 0 && errno == EINTR);
    }
    /// Waits for the end of the copy.
    Result<std::string> finish() {
        CAPSTAN_TRY(const io::ExitStatus status, io::wait_for_exit(std::exchange(process_, 0)));
        if (!status.is_success())
            return fail(ErrorCode::internal, "the process of this run " + status.sentence());
        return std::move(text_);
    }

private:
    std::size_t index_;
    pid_t process_;
    io::FileDescriptor from_;
    std::string text_;
};

Result<Copy> start_copy(std::size_t index, const ParallelRuns& runs) {
    CAPSTAN_TRY(io::Pipe pipe, io::make_pipe());
    CAPSTAN_TRY(const pid_t process, io::fork_process([&] {
                    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                    pipe.read_end.close();
                    return send_text(pipe.write_end.get(), runs.work(index)) ? 0 : 1;
                }));
    return Copy(index, process, std::move(pipe.read_end));
}

void wait_for_text(const std::vector<Copy>& copies, std::vector<pollfd>& ready) {
    ready.clear();
    for (const Copy& copy : copies) ready.push_back({copy.descriptor(), POLLIN, 0});
    while (::poll(ready.data(), ready.size(), -1) < 0 && errno == EINTR) {
    }
}

}  // namespace

Result<void> run_in_parallel(int copies, const ParallelRuns& runs) {
    std::vector<Copy> under_way;
    std::map<std::size_t, Result<std::string>> early;  ///< results that wait for earlier ones
    std::vector<pollfd> ready;
    std::size_t next = 0, next_result = 0;
    bool has_more = true;
    while (true) {
        while (has_more && under_way.size() < static_cast<std::size_t>(copies)) {
            has_more = runs.has_more(next);
            if (!has_more) break;
            CAPSTAN_TRY(Copy copy, start_copy(next, runs));
            under_way.push_back(std::move(copy));
            ++next;
        }
        if (under_way.empty()) return {};
        wait_for_text(under_way, ready);
        for (std::size_t i = ready.size(); i-- > 0;) {
            if (ready[i].revents == 0 || under_way[i].read()) continue;
            early.emplace(under_way[i].index(), under_way[i].finish());
            under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
        }
        for (auto at = early.begin(); at != early.end() && at->first == next_result;
             at = early.erase(at))
            runs.on_result(next_result++, at->second);
    }
}

}  // namespace capstan::simulator::program
