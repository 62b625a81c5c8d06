/// How commands print results: the option `-o text|json|yaml`, and a protected standard
/// output.
#pragma once

#include <memory>
#include <ostream>

#include <boost/json/value.hpp>

#include "commands/command_line.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

enum class OutputFormat { text, json, yaml };

/// Adds the option `-o`, which fills `format`. With `is_wide`, `wide` is a text with more columns
/// or lines. Both have to outlive `command`.
void add_output_format(CLI::App& command, OutputFormat& format, bool* is_wide = nullptr);

/// Prints `value` as JSON or YAML. JSON is indented on a terminal, and otherwise on one line.
void print_value(Streams streams, OutputFormat format, const boost::json::value& value);

}  // namespace capstan::commands

namespace capstan::commands {

// Standard output for results alone.
//
// Code of plugins runs in this process and may print to standard output. Results go through a
// duplicate of standard output that only this object knows. Descriptor 1 itself leads to standard
// error from then on, so that a plugin's output cannot corrupt a JSON document.

/// Made once, at the beginning of `main`, before any plugin is loaded and any thread started.
/// A standard descriptor that was closed when the process started is opened as the null device, so
/// that no file or socket gets its number.
class ResultOutput {
public:
    ResultOutput();
    ResultOutput(const ResultOutput&) = delete;
    ResultOutput& operator=(const ResultOutput&) = delete;
    ~ResultOutput();

    /// Buffered; on a terminal each line appears when it ends. Used by one thread at a time.
    std::ostream& stream() noexcept { return stream_; }
    /// Makes descriptor 1 standard output again, for a program that replaces this process.
    void give_back();
    /// Whether results go to a terminal.
    bool is_terminal() const noexcept;

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
    std::ostream stream_;
};

}  // namespace capstan::commands
