/// Reads and sets members of Boost.JSON objects by dotted paths.
///
///     text_at(pod, "spec.nodeName")
///     list_at(pod, "metadata.ownerReferences")
///     label_of(pod, "app.kubernetes.io/name")  // keys of labels and annotations have dots
///
/// A leading dot, as custom resources write it, is ignored. A null counts as absent. Returned
/// pointers, references and views live as long as the object. Reading is safe on any thread while
/// no thread writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <capstan/result.hpp>

namespace capstan::kubernetes::base {

/// Where a path begins: an object, or a value that may be something else. In a value that is no
/// object, and in NULL, each path is absent.
class JsonRoot {
public:
    JsonRoot(const boost::json::object& object) noexcept : object_(&object) {}
    JsonRoot(const boost::json::object* object) noexcept : object_(object) {}
    JsonRoot(const boost::json::value& value) noexcept : object_(value.if_object()) {}
    JsonRoot(const boost::json::value* value) noexcept
        : object_(value == nullptr ? nullptr : value->if_object()) {}

    /// NULL: the root is not an object.
    const boost::json::object* object() const noexcept { return object_; }

private:
    const boost::json::object* object_;
};

/// Parses an object that may nest 512 levels deep, as schemas of custom resources need. Fails with
/// `invalid_argument` if the text is not JSON, or not an object; the message says which.
Result<boost::json::object> parse_json_object(std::string_view text);

/// NULL: a part of the path is missing, null, or inside a value that is not an object.
const boost::json::value* find_value(JsonRoot root, std::string_view path) noexcept;
/// The member `key`, whose dots are part of its name. NULL: absent.
const boost::json::value* find_member(JsonRoot root, std::string_view key) noexcept;
/// NULL: absent, or no object.
const boost::json::object* find_object(JsonRoot root, std::string_view path) noexcept;
/// NULL: absent, or no list.
const boost::json::array* find_array(JsonRoot root, std::string_view path) noexcept;
/// Empty: absent, or no list.
const boost::json::array& list_at(JsonRoot root, std::string_view path) noexcept;
/// Empty: absent, or no text.
std::string_view text_at(JsonRoot root, std::string_view path) noexcept;
/// Absent: not set, or not an integer of 64 bits.
std::optional<std::int64_t> integer_at(JsonRoot root, std::string_view path) noexcept;
bool is_true_at(JsonRoot root, std::string_view path) noexcept;

/// Empty: absent, or no text.
std::string_view label_of(JsonRoot object, std::string_view key) noexcept;
std::string_view annotation_of(JsonRoot object, std::string_view key) noexcept;

/// A condition of the object's status; NULL: the status has no condition of that type.
const boost::json::object* find_condition(JsonRoot object, std::string_view type) noexcept;
bool has_condition(JsonRoot object, std::string_view type,
                   std::string_view status = "True") noexcept;

/// The member `key` as an object; a member of another type is replaced by an empty object.
boost::json::object& make_object(boost::json::object& object, std::string_view key);
/// Sets the value at the end of a path, and makes the missing objects on the way.
void set_value(boost::json::object& object, std::string_view path, boost::json::value value);
/// Sets the value at the end of a path if it is absent or null.
void set_default(boost::json::object& object, std::string_view path, boost::json::value value);

}  // namespace capstan::kubernetes::base
