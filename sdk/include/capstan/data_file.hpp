/// Data files named in the settings, such as price lists, that may be replaced while the host runs.
///
///     DataFile<PriceTable> prices_{host_, config_.price_file, "prices", &PriceTable::parse};
///     co_await prices_.read();    // in start: an unusable file is an error
///     co_await prices_.renew();   // in each refresh
///     if (prices_.value()) ...
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/detail/bounded_file.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

inline constexpr std::size_t data_file_max = std::size_t{64} << 20;

namespace detail {

inline Error error_of_data_file(const std::string& path, Error error) {
    error.code = ErrorCode::invalid_config;
    return within("file " + in_quotes(path), std::move(error));
}

inline std::string read_data_file_here(const std::string& path) {
    try {
        return read_bounded_file(path, data_file_max);
    } catch (const Failure& failure) {
        throw Failure(ErrorCode::invalid_config, "file " + failure.error().message);
    }
}

}  // namespace detail

/// Reads a file of at most 64 MiB on a thread that may block. A Failure is `invalid_config`
/// and names the file.
inline Task<std::string> read_data_file(Host host, std::string path) {
    co_return co_await blocking(host, &detail::read_data_file_here, std::move(path));
}

/// [strand] The parsed value of a file, which is read and parsed on a thread that may block. This
/// object must outlive its tasks.
template <class T>
class DataFile {
public:
    /// Uses only its argument, since it runs on another thread.
    using Parse = Result<T> (*)(std::string_view text);

    /// An empty `path` means no file. `name` names the data in log messages, in the plural:
    /// "prices".
    DataFile(const Host& host, std::string path, std::string name, Parse parse,
             Duration life = std::chrono::minutes(10))
        : host_(host),
          path_(std::move(path)),
          name_(std::move(name)),
          parse_(parse),
          life_(life),
          warnings_(host) {}

    const std::string& path() const noexcept { return path_; }
    /// NULL: nothing has been read, or there is no file.
    const std::shared_ptr<const T>& value() const noexcept { return value_; }
    /// Changes whenever the value changes.
    std::uint64_t version() const noexcept { return version_; }

    /// A Failure (`invalid_config`) names the file and keeps the last value.
    Task<void> read() {
        if (path_.empty()) co_return;
        read_at_ = host_.monotonic();
        const Loaded loaded = co_await blocking(host_, &DataFile::load, path_, parse_, text_);
        if (!loaded.value) co_return;
        value_ = loaded.value;
        text_ = loaded.text;
        ++version_;
    }
    /// Reads the file again when `life` has passed since the last read. A failure is logged once,
    /// as a standing warning, and keeps the last value. Does nothing before the first `read` has
    /// succeeded.
    Task<void> renew() {
        if (!value_ || host_.monotonic() - read_at_ < life_) co_return;
        const Result<void> done = co_await as_result(read());
        if (done) {
            warnings_.end("file");
        } else {
            warnings_.set("file", "using " + as_of() + ": " + done.error().message);
        }
    }

private:
    using Text = std::shared_ptr<const std::string>;
    struct Loaded {
        std::shared_ptr<const T> value{};  ///< NULL: the text has not changed
        Text text{};
    };

    static Loaded load(const std::string& path, Parse parse, const Text& before) {
        Loaded out;
        std::string text = detail::read_data_file_here(path);
        if (before && *before == text) return out;
        Result<T> parsed = parse(text);
        if (!parsed) throw Failure(detail::error_of_data_file(path, std::move(parsed).error()));
        out.value = std::make_shared<const T>(*std::move(parsed));
        out.text = std::make_shared<const std::string>(std::move(text));
        return out;
    }
    /// "prices of 2026-11-21" for a value with a date, otherwise "the previous prices".
    std::string as_of() const {
        if constexpr (requires(const T& value) {
                          { value.date() } -> std::convertible_to<std::string>;
                      }) {
            return name_ + " of " + std::string(value_->date());
        } else {
            return "the previous " + name_;
        }
    }

    Host host_;
    std::string path_, name_;
    Parse parse_;
    Duration life_;
    StandingWarnings warnings_;
    std::shared_ptr<const T> value_{};
    Text text_{};
    Duration read_at_{};
    std::uint64_t version_ = 0;
};

CAPSTAN_NAMESPACE_END
