/// Checks and copies what the other side lent: text, arrays, and the lists that most structs have.
/// Nothing is trusted: a fault becomes an error that names the member, as in "labels[4].key is
/// empty". Internal to the SDK.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/detail/first_size.hpp>
#include <capstan/detail/utf8.hpp>
#include <capstan/resources.hpp>
#include <capstan/sentence.hpp>
#include <capstan/taints.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// More elements than any cluster has. An array with a larger count is refused before it is read.
inline constexpr std::uint32_t most_elements = 1'000'000;
inline constexpr std::size_t longest_text = std::size_t{1} << 20;
inline constexpr std::size_t longest_message = std::size_t{4} << 10;

/// The other side violated the contract: a bug there.
inline Unexpected misfit(std::string what) { return fail(ErrorCode::internal, std::move(what)); }

/// `inner` with its context: "groups[3]" and "id is empty" give "groups[3].id is empty".
inline Unexpected misfit_in(const std::string& whole, Error inner) {
    inner.message.insert(0, whole + ".");
    return fail(std::move(inner));
}

inline std::string element(std::string_view list, std::uint32_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

template <Growing T>
Result<void> check_size(const T& raw) {
    if (raw.struct_size >= first_size<T>) return {};
    return misfit("struct_size is " + std::to_string(raw.struct_size) + ", expected at least " +
                  std::to_string(first_size<T>));
}

/// That `array` can be walked as elements of T.
template <class T>
Result<void> check_array(std::string_view name, capstan_array array) {
    if (array.count == 0) return {};
    const auto refuse = [&](const std::string& why) {
        return misfit(std::string(name) + " " + why);
    };
    if (array.data == nullptr)
        return refuse("is NULL, but its count is " + std::to_string(array.count));
    if (array.count > most_elements) {
        return refuse("has " + std::to_string(array.count) + " elements, more than " +
                      std::to_string(most_elements));
    }
    if (array.stride < first_size<T>) {
        return refuse("has a stride of " + std::to_string(array.stride) + ", expected at least " +
                      std::to_string(first_size<T>));
    }
    if (reinterpret_cast<std::uintptr_t>(array.data) % alignof(T) != 0 ||
        array.stride % alignof(T) != 0) {
        return refuse("is not aligned to " + std::to_string(alignof(T)));
    }
    return {};
}

enum class Text { required, optional };

/// What is wrong with the text; NULL: nothing.
inline const char* find_fault(capstan_str s, Text need) noexcept {
    if (s.ptr == nullptr && s.len != 0) return "is NULL, but its length is not 0";
    if (s.len == 0) return need == Text::required ? "is empty" : nullptr;
    if (s.len > longest_text) return "is longer than 1 MiB";
    return is_utf8(text(s)) ? nullptr : "is not UTF-8";
}

inline Result<std::string> text_from_abi(std::string_view name, capstan_str s,
                                         Text need = Text::optional) {
    if (const char* why = find_fault(s, need)) return misfit(std::string(name) + " " + why);
    return std::string(text(s));
}

/// Converts every element of `array` by `one_from_abi`, which returns a Result.
template <class Raw, class F>
auto list_from_abi(std::string_view name, capstan_array array, F one_from_abi) -> Result<
    std::vector<typename decltype(one_from_abi(std::declval<const Raw&>()))::value_type>> {
    CAPSTAN_CHECK(check_array<Raw>(name, array));
    std::vector<typename decltype(one_from_abi(std::declval<const Raw&>()))::value_type> out;
    const View<Raw> view(array);
    out.reserve(std::min(view.size(), std::uint32_t{1024}));  // a wrong count allocates little
    for (std::uint32_t i = 0; i < view.size(); ++i) {
        if constexpr (Growing<Raw>) {
            if (view[i].struct_size > array.stride) {
                return misfit(element(name, i) + ".struct_size is " +
                              std::to_string(view[i].struct_size) + ", the stride is " +
                              std::to_string(array.stride));
            }
        }
        auto value = one_from_abi(view[i]);
        if (!value) return misfit_in(element(name, i), std::move(value).error());
        out.push_back(std::move(*value));
    }
    return out;
}

/// A list of names that are not empty.
template <class T>
Result<std::vector<T>> names_from_abi(std::string_view name, capstan_array array) {
    CAPSTAN_CHECK(check_array<capstan_str>(name, array));
    std::vector<T> out;
    for (const capstan_str& s : View<capstan_str>(array)) {
        const auto index = static_cast<std::uint32_t>(out.size());
        CAPSTAN_TRY(std::string value, text_from_abi(element(name, index), s, Text::required));
        out.emplace_back(std::move(value));
    }
    return out;
}

inline Result<Labels> labels_from_abi(std::string_view name, capstan_array array) {
    CAPSTAN_CHECK(check_array<capstan_kv>(name, array));
    Labels out;
    std::uint32_t index = 0;
    for (const capstan_kv& pair : View<capstan_kv>(array)) {
        const char* key_fault = find_fault(pair.key, Text::required);
        if (key_fault != nullptr) return misfit(element(name, index) + ".key " + key_fault);
        const char* value_fault = find_fault(pair.value, Text::optional);
        if (value_fault != nullptr) return misfit(element(name, index) + ".value " + value_fault);
        if (!out.emplace(text(pair.key), text(pair.value)).second) {
            return misfit(element(name, index) + ".key " + in_quotes(text(pair.key)) +
                          " is listed twice");
        }
        ++index;
    }
    return out;
}

enum class Sign { not_negative, any };

inline Result<Resources> resources_from_abi(std::string_view name, capstan_array array,
                                            Sign sign = Sign::not_negative) {
    CAPSTAN_CHECK(check_array<capstan_quantity>(name, array));
    Resources out;
    std::uint32_t index = 0;
    for (const capstan_quantity& q : View<capstan_quantity>(array)) {
        const auto refuse = [&](const std::string& why) {
            return misfit(element(name, index) + why);
        };
        if (const char* why = find_fault(q.resource, Text::required))
            return refuse(std::string(".resource ") + why);
        const std::string_view resource = text(q.resource);
        if (out.find(resource))
            return refuse(".resource " + in_quotes(resource) + " is listed twice");
        if (sign == Sign::not_negative && q.amount < 0)
            return refuse(".amount is " + std::to_string(q.amount));
        out.set(resource, q.amount);
        ++index;
    }
    return out;
}

inline std::optional<Effect> find_effect(std::int32_t value) noexcept {
    const bool known = value >= CAPSTAN_EFFECT_NO_SCHEDULE && value <= CAPSTAN_EFFECT_NO_EXECUTE;
    return known ? std::optional(static_cast<Effect>(value)) : std::nullopt;
}

inline Result<Taint> taint_from_abi(const capstan_taint& raw) {
    CAPSTAN_TRY(std::string key, text_from_abi("key", raw.key, Text::required));
    CAPSTAN_TRY(std::string value, text_from_abi("value", raw.value));
    const std::optional<Effect> effect = find_effect(raw.effect);
    if (!effect) return misfit("effect is " + std::to_string(raw.effect) + ", which is unknown");
    return Taint{std::move(key), std::move(value), *effect};
}

/// The message and provider_code of an error are for people, so they are cleaned and cut. The
/// subject is an id, so invalid text is refused.
inline Result<Error> error_from_abi(const capstan_error& raw) {
    CAPSTAN_CHECK(check_size(raw));
    CAPSTAN_TRY(std::string subject, text_from_abi("subject", raw.subject));
    Error out{error_code(raw.code),
              clean_utf8(text(raw.message), longest_message),
              clean_utf8(text(raw.provider_code), longest_message),
              std::move(subject),
              std::nullopt,
              error_scope(raw.scope)};
    if (raw.retry_after_ms >= 0)
        out.retry_after =
            std::chrono::milliseconds(std::min(raw.retry_after_ms, longest_advice_ms));
    return out;
}

}  // namespace detail
CAPSTAN_NAMESPACE_END
