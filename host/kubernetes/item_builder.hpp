/// Builds one API object from a parser's events, without the members that no decoder reads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

#include <capstan/assert.hpp>

#include "kubernetes/field_mask.hpp"

namespace capstan::kubernetes {

/// [one thread] The caller passes events in the order of the text, from the `begin_object` of the
/// object itself to its end. The builder reuses its memory for the next object.
class ItemBuilder {
public:
    /// The builder leaves out members that are not among `kept`. NULL: it keeps all members.
    explicit ItemBuilder(const KeptMembers* kept = &field_mask());

    bool is_idle() const noexcept { return open_.empty(); }
    /// How many objects and arrays are open; 1: the next event is about the object's own members.
    std::size_t depth() const noexcept { return open_.size(); }
    /// Whether the next value is kept. The caller must pass no event of a value that is not kept.
    bool keeps_next() const noexcept { return keeps_next_; }

    void begin_object() { begin(false); }
    void begin_array() { begin(true); }
    /// True: the object itself has ended, and object() can be read.
    bool end();
    /// The whole key. From then on keeps_next() is about the value of this key.
    void key(std::string_view key);
    void text_part(std::string_view part) { stack_.push_chars(part); }
    void text(std::string_view rest);
    /// A number, true, false or null.
    void scalar(const boost::json::value& value);

    /// Valid from the end of the object until clear().
    const boost::json::value& object() const noexcept {
        CAPSTAN_ASSERT(object_, "an object is read before its end");
        return *object_;
    }
    /// Discards the object, whether or not it is finished.
    void clear();

private:
    struct Open {
        const KeptMembers* members;  ///< NULL: everything inside is kept
        bool is_array;
        std::size_t count;
    };
    void begin(bool is_array);
    void count_value();

    const KeptMembers* kept_;
    std::unique_ptr<unsigned char[]> buffer_;
    std::optional<boost::json::monotonic_resource> memory_;
    boost::json::value_stack stack_;
    std::optional<boost::json::value> object_;
    std::vector<Open> open_;
    const KeptMembers* next_members_ = nullptr;  ///< of the value of the last key
    bool keeps_next_ = true;
};

}  // namespace capstan::kubernetes
