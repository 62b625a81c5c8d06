#include "plugin_runtime/services/logger.hpp"

#include <mutex>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <capstan/time_text.hpp>

#include "io/known_secrets.hpp"
#include "io/printable.hpp"

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::size_t line_limit = 8192;
constexpr std::size_t source_limit = 128;
constexpr std::size_t log_key_limit = 64;

/// Text for a field that a space or a quote would make ambiguous stands in quotes.
std::string field_text(const std::string& value) {
    const bool is_plain = !value.empty() && value.find_first_of(" \"=\\") == std::string::npos;
    return is_plain ? value : io::json_quoted(value);
}

class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit FunctionSink(Logger::Sink lines) : lines_(std::move(lines)) {}

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        lines_(std::string_view(message.payload.data(), message.payload.size()));
    }
    void flush_() override {}
    Logger::Sink lines_;
};

}  // namespace

/// Keeps spdlog out of the compile time of all that logs.
struct Logger::Output {
    explicit Output(spdlog::sink_ptr sink) : log("capstan", std::move(sink)) {
        log.set_pattern("%v");
        log.set_level(spdlog::level::trace);
    }
    spdlog::logger log;
};

Logger::Logger(const config::Log& config, std::shared_ptr<const io::Clock> clock)
    : config_(config),
      clock_(std::move(clock)),
      output_(std::make_unique<Output>(std::make_shared<spdlog::sinks::stderr_sink_mt>())) {}

Logger::Logger(const config::Log& config, std::shared_ptr<const io::Clock> clock, Sink sink)
    : config_(config),
      clock_(std::move(clock)),
      output_(std::make_unique<Output>(std::make_shared<FunctionSink>(std::move(sink)))) {}

Logger::~Logger() = default;

bool Logger::is_kept(config::LogLevel level, std::string_view source) const {
    const auto own = config_.per_plugin.find(std::string(source));
    return level >= (own != config_.per_plugin.end() ? own->second : config_.level);
}

void Logger::write(config::LogLevel level, std::string_view source, std::string_view message,
                   const LogPairs& fields) {
    if (is_kept(level, source))
        output_->log.log(spdlog::level::info,
                         spdlog::string_view_t(line(level, source, message, fields)));
}

std::string Logger::line(config::LogLevel level, std::string_view source, std::string_view message,
                         const LogPairs& fields) const {
    const bool json = config_.format == config::LogFormat::json;
    const std::string time = format_rfc3339(clock_->wall(), 3);
    const std::string level_name(
        config::names_of(config::LogLevel{})[static_cast<std::size_t>(level)]);
    const std::string from = io::printable(source, source_limit);
    const std::string sentence = io::printable(io::redacted(std::string(message)), line_limit);
    std::size_t room = line_limit - std::min(line_limit, message.size());
    std::string out = json ? "{\"time\":\"" + time + "\",\"level\":\"" + level_name +
                                 "\",\"source\":" + io::json_quoted(from) +
                                 ",\"message\":" + io::json_quoted(sentence)
                           : time + " " + level_name + std::string(6 - level_name.size(), ' ') +
                                 from + ": " + sentence;
    for (const auto& [key, value] : fields) {
        if (room == 0) break;
        const std::string name = io::printable(key, log_key_limit);
        const std::string text = io::printable(io::redacted(value), room);
        room -= std::min(room, key.size() + value.size());
        out += json ? "," + io::json_quoted(name) + ":" + io::json_quoted(text)
                    : " " + name + "=" + field_text(text);
    }
    return json ? out + "}" : out;
}

}  // namespace capstan::plugin_runtime::services
