/// Settings for unit tests: what a file would say, without a file.
///
///     FakeSettings settings = settings_of<AcmeCloud>();       // the schema's defaults
///     settings.set("zone", "a").set("weights", table({{"cpu", 2.0}}));
///     AcmeCloud cloud(host.host(), settings.view());
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/settings.hpp>
#include <capstan/testing/setting_value.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// What a class's `check` refused.
struct Rejection {
    std::string path;  ///< "tiers[2].regex"; empty: the settings as a whole
    std::string why;
    bool operator==(const Rejection&) const = default;
};

/// Settings that passed a schema, defaults filled in. `raw` and `view` throw std::invalid_argument,
/// which names the key, if a value does not fit the schema, a key is unknown or a required key is
/// missing: these are mistakes of the test.
class FakeSettings {
public:
    /// Without a schema: any key and value. Text that is a valid duration or quantity can be read
    /// as one.
    FakeSettings();
    explicit FakeSettings(const Schema& schema);
    /// Descriptors as a class exports them; they must outlive this.
    explicit FakeSettings(capstan_array fields);
    FakeSettings(FakeSettings&&) noexcept;
    ~FakeSettings();

    FakeSettings& set(std::string key, Value value);
    FakeSettings& set_all(const Value::Table& values);

    /// Valid until the next `set`.
    const capstan_settings* raw();
    Settings view() { return Settings(*raw()); }
    /// The names of the secrets that these settings refer to.
    std::vector<std::string> secrets();

    const std::vector<Rejection>& rejections() const noexcept;

private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

/// The settings of a plugin class with nothing but its defaults.
template <class T>
FakeSettings settings_of() {
    if constexpr (requires { T::schema(); }) {
        return FakeSettings(Schema(T::schema()));
    } else {
        return FakeSettings(Schema());
    }
}

/// The default of a field, checked against its type, bounds and allowed values; an error says what
/// is wrong. `not_found`: the field has no default.
Result<Value> read_default(const capstan_field& field);

/// The keys of a schema that must be given.
std::vector<std::string> required_keys(capstan_array fields);

}  // namespace testing
CAPSTAN_NAMESPACE_END
