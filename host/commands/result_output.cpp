#include "commands/result_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>
#include <streambuf>
#include <tuple>
#include <utility>

#include "runtime/plugin_files/file_descriptor.hpp"

namespace capstan::commands {
namespace {

using runtime::FileDescriptor;

void open_missing_standard_descriptors() {
    // The system gives the lowest free number, and all below `fd` are taken by then.
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0) std::ignore = ::open("/dev/null", O_RDWR);
}

/// What was standard output, under another number and closed in programs that this one starts.
FileDescriptor take_standard_output() {
    open_missing_standard_descriptors();
    FileDescriptor taken(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return taken;
}

}  // namespace

class ResultOutput::Buffer final : public std::streambuf {
public:
    explicit Buffer(FileDescriptor to)
        : to_(std::move(to)), is_terminal_(::isatty(to_.get()) == 1) {
        empty();
    }

    bool is_terminal() const noexcept { return is_terminal_; }

private:
    int_type overflow(int_type c) override {
        if (sync() != 0) return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
        return traits_type::not_eof(c);
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        const std::streamsize taken = std::streambuf::xsputn(text, size);
        const bool ends_line = is_terminal_ && taken > 0 &&
                               std::memchr(text, '\n', static_cast<std::size_t>(taken)) != nullptr;
        return ends_line && sync() != 0 ? 0 : taken;
    }
    int sync() override {
        const std::span<const char> full(pbase(), pptr());
        empty();
        return runtime::write_all(to_, std::as_bytes(full)) ? 0 : -1;
    }
    void empty() { setp(room_.data(), room_.data() + room_.size()); }

    FileDescriptor to_;
    bool is_terminal_;
    std::array<char, 1 << 16> room_;
};

ResultOutput::ResultOutput()
    : buffer_(std::make_unique<Buffer>(take_standard_output())), stream_(buffer_.get()) {}

bool ResultOutput::is_terminal() const noexcept { return buffer_->is_terminal(); }

ResultOutput::~ResultOutput() { stream_.flush(); }

}  // namespace capstan::commands
