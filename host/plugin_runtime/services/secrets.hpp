/// Secret values, which the host writes neither to a file nor to a log.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::plugin_runtime::services {

/// Text that is wiped when it is destroyed. Movable, not copyable.
class SecretText {
public:
    SecretText() = default;
    explicit SecretText(std::size_t capacity) { text_.reserve(capacity); }
    SecretText(SecretText&& other) noexcept;
    SecretText& operator=(SecretText&&) = delete;
    ~SecretText() { wipe(); }

    std::string_view view() const noexcept { return text_; }
    /// False: the text would exceed the capacity that it was constructed with. A reallocation would
    /// leave a copy behind.
    bool append(std::string_view part);
    void drop_last() { text_.pop_back(); }

private:
    void wipe() noexcept;
    std::string text_;
};

/// [any thread]
class SecretSource {
public:
    virtual ~SecretSource() = default;
    /// The current value. `not_found`: there is no secret of that name; `invalid_argument`: the
    /// name is not allowed; `unavailable`: it could not be read.
    virtual Result<SecretText> read(std::string_view name) const = 0;
};

/// The files of a folder, such as a mounted Kubernetes Secret; names are of letters, digits, '.',
/// '_' and '-'. One newline at the end, which editors add, is not part of the value. A value has
/// 1 MiB at most.
class DirectorySecrets final : public SecretSource {
public:
    explicit DirectorySecrets(std::filesystem::path directory) : directory_(std::move(directory)) {}
    Result<SecretText> read(std::string_view name) const override;

private:
    const std::filesystem::path directory_;
};

}  // namespace capstan::plugin_runtime::services
