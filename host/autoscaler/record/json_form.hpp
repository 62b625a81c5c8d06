/// The JSON form of each type, written and read. A described struct is an object without the
/// members that have their default. Unknown members are ignored, so that an older host can read a
/// newer host's text.
///
/// A Time is RFC 3339 ("2026-11-21T10:50:00.000000001Z"), a Duration is as in the configuration
/// ("1h30m"), an enumerator is its name. A double is text ("0.35"), because readers of JSON may
/// round numbers. All values are read back exactly.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <boost/pfr/tuple_size.hpp>

#include <capstan/ids.hpp>
#include <capstan/resources.hpp>
#include <capstan/time.hpp>

#include "autoscaler/record/json_reader.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::autoscaler::record {

using kubernetes::JsonCursor;

// Structs with a description of their members, from which they are written and read.
//
//     struct IncorrectNodeGroupSize { int current = 0, expected = 0; Time since{}; };
//     BOOST_DESCRIBE_STRUCT(IncorrectNodeGroupSize, (), (current, expected, since))
//
// The names of members are the keys of the text, and a member with its default is left out. So a
// change of a member's name or default changes the format.

template <class T>
concept NamedMembers = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;

template <class T>
concept NamedEnumerators = boost::describe::has_describe_enumerators<T>::value;

/// Calls `f(name, pointer to member)` for each member in the order of the description.
template <NamedMembers T, class F>
void each_member(F f) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    static_assert(boost::mp11::mp_size<Members>::value == boost::pfr::tuple_size_v<T>,
                  "a member is not described");
    boost::mp11::mp_for_each<Members>([&](auto member) { f(member.name, member.pointer); });
}

/// Specialised below with `write(out, value)` and `read(place, value)`. `read` adds a problem for a
/// malformed value, and does not change `value` if the place is absent.
template <class T>
struct JsonForm;

template <class T>
void write_json(JsonText& out, const T& value) {
    JsonForm<T>::write(out, value);
}

template <class T>
T read_json(const JsonCursor& place) {
    T out{};
    JsonForm<T>::read(place, out);
    return out;
}

template <>
struct JsonForm<bool> {
    static void write(JsonText& out, bool value) { out.boolean(value); }
    static void read(const JsonCursor& place, bool& value) {
        if (const auto read = place.boolean()) value = *read;
    }
};

template <std::signed_integral T>
struct JsonForm<T> {
    static void write(JsonText& out, T value) { out.whole(value); }
    static void read(const JsonCursor& place, T& value) {
        using Numbers = std::numeric_limits<T>;
        if (const auto read = place.integer(Numbers::min(), Numbers::max()))
            value = static_cast<T>(*read);
    }
};

template <std::unsigned_integral T>
struct JsonForm<T> {
    static void write(JsonText& out, T value) { out.natural(value); }
    static void read(const JsonCursor& place, T& value) {
        const auto read = place.natural();
        if (!read) return;
        if (*read <= std::numeric_limits<T>::max()) {
            value = static_cast<T>(*read);
        } else {
            place.expects("a whole number up to " + std::to_string(std::numeric_limits<T>::max()));
        }
    }
};

template <>
struct JsonForm<std::string> {
    static void write(JsonText& out, std::string_view value) { out.text(value); }
    static void read(const JsonCursor& place, std::string& value) {
        if (const auto read = place.text()) value = *read;
    }
};

template <class Tag>
struct JsonForm<Id<Tag>> {
    static void write(JsonText& out, const Id<Tag>& id) { out.text(id.value()); }
    static void read(const JsonCursor& place, Id<Tag>& id) {
        if (const auto read = place.text()) id = Id<Tag>(*read);
    }
};

template <>
struct JsonForm<double> {
    static void write(JsonText& out, double value);
    static void read(const JsonCursor& place, double& value);
};

template <>
struct JsonForm<Duration> {
    static void write(JsonText& out, Duration value);
    static void read(const JsonCursor& place, Duration& value);
};

/// Outside of the years 1900 to 2200 the form is the number of nanoseconds since 1970.
template <>
struct JsonForm<Time> {
    static void write(JsonText& out, Time value);
    static void read(const JsonCursor& place, Time& value);
};

/// An object of amounts, in the units of Resources.
template <>
struct JsonForm<Resources> {
    static void write(JsonText& out, const Resources& value);
    static void read(const JsonCursor& place, Resources& value);
};

/// An enumerator without a name, which a cloud may have sent, is written as its number.
template <NamedEnumerators T>
struct JsonForm<T> {
    using Number = std::underlying_type_t<T>;

    static void write(JsonText& out, T value) {
        const char* name = boost::describe::enum_to_string(value, nullptr);
        if (name != nullptr) return out.text(name);
        write_json(out, static_cast<Number>(value));
    }
    static void read(const JsonCursor& place, T& value) {
        if (place.is_absent()) return;
        if (!place.is_text()) {
            value = static_cast<T>(read_json<Number>(place));
        } else if (const auto name = place.text();
                   !name || !boost::describe::enum_from_string(std::string(*name).c_str(), value)) {
            place.expects("one of " + names());
        }
    }

private:
    static std::string names() {
        std::string out;
        boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
            [&](auto one) { out += (out.empty() ? "" : ", ") + std::string(one.name); });
        return out;
    }
};

/// An absent optional is null; as a member it is left out.
template <class T>
struct JsonForm<std::optional<T>> {
    static void write(JsonText& out, const std::optional<T>& value) {
        if (!value) return out.null();
        write_json(out, *value);
    }
    static void read(const JsonCursor& place, std::optional<T>& value) {
        if (place.is_absent()) return;
        value.emplace(read_json<T>(place));
    }
};

/// A shared value has the form of the value itself. NULL is null.
template <class T>
struct JsonForm<std::shared_ptr<const T>> {
    static void write(JsonText& out, const std::shared_ptr<const T>& value) {
        if (value == nullptr) return out.null();
        write_json(out, *value);
    }
    static void read(const JsonCursor& place, std::shared_ptr<const T>& value) {
        if (place.is_absent()) return;
        value = std::make_shared<const T>(read_json<T>(place));
    }
};

template <class T>
struct JsonForm<std::vector<T>> {
    static void write(JsonText& out, const std::vector<T>& values) {
        out.begin_array();
        for (const T& value : values) write_json(out, value);
        out.end_array();
    }
    static void read(const JsonCursor& place, std::vector<T>& values) {
        const std::vector<JsonCursor> items = place.items();
        values.reserve(items.size());
        for (const JsonCursor& item : items) values.push_back(read_json<T>(item));
    }
};

template <class T>
struct JsonForm<std::set<T>> {
    static void write(JsonText& out, const std::set<T>& values) {
        out.begin_array();
        for (const T& value : values) write_json(out, value);
        out.end_array();
    }
    static void read(const JsonCursor& place, std::set<T>& values) {
        for (const JsonCursor& item : place.items()) values.insert(read_json<T>(item));
    }
};

namespace detail {

inline std::string_view key_text(const std::string& key) { return key; }
template <class Tag>
std::string_view key_text(const Id<Tag>& key) {
    return key.value();
}
template <class Key>
concept TextKey = requires(const Key& key) { key_text(key); };

}  // namespace detail

/// An object.
template <detail::TextKey Key, class T, class Less>
struct JsonForm<std::map<Key, T, Less>> {
    static void write(JsonText& out, const std::map<Key, T, Less>& values) {
        out.begin_object();
        for (const auto& [key, value] : values) {
            out.key(detail::key_text(key));
            write_json(out, value);
        }
        out.end_object();
    }
    static void read(const JsonCursor& place, std::map<Key, T, Less>& values) {
        for (const JsonCursor& member : place.members())
            values.insert_or_assign(Key(member.key()), read_json<T>(member));
    }
};

/// An array of objects, each with its `key` and `value`.
template <class Key, class T, class Less>
struct JsonForm<std::map<Key, T, Less>> {
    static void write(JsonText& out, const std::map<Key, T, Less>& values) {
        out.begin_array();
        for (const auto& [key, value] : values) {
            out.begin_object();
            out.key("key");
            write_json(out, key);
            out.key("value");
            write_json(out, value);
            out.end_object();
        }
        out.end_array();
    }
    static void read(const JsonCursor& place, std::map<Key, T, Less>& values) {
        for (const JsonCursor& item : place.items())
            values.insert_or_assign(read_json<Key>(item.required("key")),
                                    read_json<T>(item.required("value")));
    }
};

namespace detail {

template <class T>
concept Container = requires(const T& value) { value.empty(); };
template <class T>
concept Pointing = requires(const T& value) {
    static_cast<bool>(value);
    *value;
};

/// Whether a member need not be written.
template <class T>
bool is_default(const T& value, const T& initial) {
    if constexpr (NamedMembers<T>) {
        bool all = true;
        each_member<T>([&](const char*, auto member) {
            all = all && is_default(value.*member, initial.*member);
        });
        return all;
    } else if constexpr (Pointing<T>) {
        return !value && !initial;
    } else if constexpr (Container<T> && !std::same_as<T, std::string>) {
        return value.empty() && initial.empty();
    } else {
        return value == initial;
    }
}

}  // namespace detail

template <NamedMembers T>
struct JsonForm<T> {
    static void write(JsonText& out, const T& value) {
        [[maybe_unused]] static const T initial{};  // lists are compared with nothing
        out.begin_object();
        each_member<T>([&](const char* name, auto member) {
            if (detail::is_default(value.*member, initial.*member)) return;
            out.key(name);
            write_json(out, value.*member);
        });
        out.end_object();
    }
    static void read(const JsonCursor& place, T& value) {
        each_member<T>([&](const char* name, auto member) {
            using Member = std::remove_reference_t<decltype(value.*member)>;
            JsonForm<Member>::read(place[name], value.*member);
        });
    }
};

}  // namespace capstan::autoscaler::record
