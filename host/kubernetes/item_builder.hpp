/// One API object out of the events of a parser, without the members that are not read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

#include "kubernetes/field_mask.hpp"

namespace capstan::kubernetes {

/// [one thread] Events come in the order of the text, from the `begin_object` of the object itself
/// to its end; in between others may build nothing else with it. Memory is used again for the next
/// object.
class ItemBuilder {
public:
    /// Members that are not among `kept` are left out; NULL: none is.
    explicit ItemBuilder(const KeptMembers* kept = &field_mask());

    bool is_idle() const noexcept { return open_.empty(); }
    /// How many objects and arrays are open; 1: members of the object itself.
    std::size_t depth() const noexcept { return open_.size(); }
    /// Whether the value that comes next is kept. One that is not must not be told of at all.
    bool keeps_next() const noexcept { return keeps_next_; }

    void begin_object() { begin(false); }
    void begin_array() { begin(true); }
    /// True: that was the end of the object itself, and object() is there to be read.
    bool end();
    /// The whole key; keeps_next() then speaks of its value.
    void key(std::string_view key);
    void text_part(std::string_view part) { stack_.push_chars(part); }
    void text(std::string_view rest);
    /// A number, true, false or null.
    void scalar(const boost::json::value& value);

    /// Until clear().
    const boost::json::value& object() const noexcept { return *object_; }
    /// Forgets the object, be it finished or not.
    void clear();

private:
    struct Open {
        const KeptMembers* members;  ///< NULL: everything below is kept
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
