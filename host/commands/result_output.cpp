#include "commands/result_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>
#include <streambuf>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "commands/options.hpp"
#include "commands/value_text.hpp"
#include "io/file_descriptor.hpp"

namespace capstan::commands {
namespace {

OutputFormat format_named(const std::string& name) {
    if (name == "json") return OutputFormat::json;
    return name == "yaml" ? OutputFormat::yaml : OutputFormat::text;
}

}  // namespace

void add_output_format(CLI::App& command, OutputFormat& format, bool* is_wide) {
    command
        .add_option_function<std::string>(
            "-o,--output",
            [&format, is_wide](const std::string& name) {
                format = format_named(name);
                if (is_wide != nullptr) *is_wide = name == "wide";
            },
            is_wide == nullptr ? "Output format: text, json or yaml"
                               : "Output format: text, wide (more details), json or yaml")
        ->check(one_of(is_wide == nullptr
                           ? std::vector<std::string>{"text", "json", "yaml"}
                           : std::vector<std::string>{"text", "wide", "json", "yaml"}))
        ->type_name("FORMAT")
        ->default_str("text");
}

void print_value(Streams streams, OutputFormat format, const boost::json::value& value) {
    if (format == OutputFormat::yaml) {
        streams.out << yaml_text(value);
    } else {
        streams.out << (streams.out_is_terminal ? json_indented(value) : json_line(value)) << '\n';
    }
}

namespace {

using io::FileDescriptor;

void open_missing_standard_descriptors() {
    // `open` takes the lowest free number, which is `fd`: all lower numbers are in use by then.
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0) std::ignore = ::open("/dev/null", O_RDWR);
}

/// Duplicates standard output, and redirects descriptor 1 to standard error. The duplicate is
/// closed in programs that this process starts.
io::FileDescriptor take_standard_output() {
    open_missing_standard_descriptors();
    io::FileDescriptor taken(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return taken;
}

}  // namespace

class ResultOutput::Buffer final : public std::streambuf {
public:
    explicit Buffer(io::FileDescriptor to)
        : to_(std::move(to)), is_terminal_(::isatty(to_.get()) == 1) {
        empty();
    }

    bool is_terminal() const noexcept { return is_terminal_; }
    void give_back() { ::dup2(to_.get(), STDOUT_FILENO); }

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
        return io::write_all(to_, std::as_bytes(full)) ? 0 : -1;
    }
    void empty() { setp(room_.data(), room_.data() + room_.size()); }

    io::FileDescriptor to_;
    bool is_terminal_;
    std::array<char, 1 << 16> room_;
};

ResultOutput::ResultOutput()
    : buffer_(std::make_unique<Buffer>(take_standard_output())), stream_(buffer_.get()) {}

bool ResultOutput::is_terminal() const noexcept { return buffer_->is_terminal(); }

void ResultOutput::give_back() {
    stream_.flush();
    buffer_->give_back();
}

ResultOutput::~ResultOutput() { stream_.flush(); }

}  // namespace capstan::commands
