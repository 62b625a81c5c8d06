/// Files of data that the settings name, such as prices, which are replaced while the host runs.
///
///     DataFile<PriceTable> prices_{host_, config_.price_file, "prices", &PriceTable::parse};
///     co_await prices_.read();    // in start: a file that cannot be used is refused
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

/// Reads a whole file, of 64 MiB at most, on a thread that may block. A Failure is `invalid_config`
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

    /// An empty `path` means that there is no file. `name` is the log's word for the data, the
    /// subject of a sentence in the plural: "prices".
    DataFile(const Host& host, std::string path, std::string name, Parse parse,
             Duration life = std::chrono::minutes(10))
        : host_(host),
          path_(std::move(path)),
          name_(std::move(name)),
          parse_(parse),
          life_(life),
          warnings_(host) {}

    const std::string& path() const noexcept { return path_; }
    /// NULL: nothing was read, or there is no file.
    const std::shared_ptr<const T>& value() const noexcept { return value_; }
    /// Changes whenever the value changes.
    std::uint64_t version() const noexcept { return version_; }

    /// A Failure (`invalid_config`) names the file and leaves the last value as it is.
    Task<void> read() {
        if (path_.empty()) co_return;
        read_at_ = host_.monotonic();
        const Loaded loaded = co_await blocking(host_, &DataFile::load, path_, parse_, text_);
        if (!loaded.value) co_return;
        value_ = loaded.value;
        text_ = loaded.text;
        ++version_;
    }
    /// Reads the file again when its life is over. A failure is logged once, as a standing warning,
    /// and leaves the last value as it is. Does nothing before the first `read` has succeeded.
    Task<void> renew() {
        if (!value_ || host_.monotonic() - read_at_ < life_) co_return;
        const Result<void> done = co_await as_result(read());
        if (done) {
            warnings_.end("file");
        } else {
            warnings_.tell("file", name_ + " stay " + as_of() + ": " + done.error().message);
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
    /// The day of the data, for values that have one.
    std::string as_of() const {
        if constexpr (requires(const T& value) {
                          { value.date() } -> std::convertible_to<std::string>;
                      }) {
            return "those of " + std::string(value_->date());
        } else {
            return "as they were";
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
