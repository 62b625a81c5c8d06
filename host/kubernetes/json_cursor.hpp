/// Reading JSON that others wrote: every step may fail, and what is wrong is kept with its place
/// instead of stopping at the first.
///
///     JsonProblems problems(document);
///     const JsonCursor pod = problems.root();
///     const auto node = pod["spec"]["nodeName"].text();   // nothing when absent; complains when
///     it is no text
///     // /spec/nodeName: expects text, found a number (7)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include <capstan/labels.hpp>
#include <capstan/quantity.hpp>

namespace capstan::kubernetes {

class JsonCursor;

struct JsonProblem {
    std::string pointer;  ///< RFC 6901; empty: the document itself
    std::string what;     ///< what was expected, and what was found
    bool operator==(const JsonProblem&) const = default;
};

/// What is wrong with one document, which must outlive this. Keeps the first `limit` and counts the
/// rest.
class JsonProblems {
public:
    explicit JsonProblems(const boost::json::value& document, std::size_t limit = 20)
        : document_(&document), limit_(limit) {}

    JsonCursor root();
    /// One complaint about one place counts once, however often it is made. To know whether the
    /// pointer, which has to be searched for, is still of use: is_full().
    void add(JsonProblem problem);
    bool is_full() const noexcept { return kept_.size() >= limit_; }
    void leave_out() noexcept {
        ++made_;
        ++left_out_;
    }
    /// Complaints so far, repeated and left out ones included: whether it grew tells whether a part
    /// was read without any.
    std::size_t made() const noexcept { return made_; }
    bool empty() const noexcept { return kept_.empty(); }
    const std::vector<JsonProblem>& kept() const noexcept { return kept_; }
    /// How many more there are; some may be complaints made twice.
    std::size_t left_out() const noexcept { return left_out_; }
    const boost::json::value& document() const noexcept { return *document_; }

private:
    const boost::json::value* document_;
    std::size_t limit_;
    std::vector<JsonProblem> kept_;
    std::size_t left_out_ = 0;
    std::size_t made_ = 0;
};

/// A value in a document, or the place where it would be. A null counts as absent, as in
/// Kubernetes. Reading something absent answers nothing; reading something of another type
/// complains and answers nothing. Cheap to copy; valid as long as the document and its problems,
/// which every copy shares: one thread at a time.
class JsonCursor {
public:
    bool is_absent() const noexcept { return value_ == nullptr; }
    explicit operator bool() const noexcept { return value_ != nullptr; }
    /// Never complains.
    bool is_text() const noexcept;

    /// A member of an object.
    JsonCursor operator[](std::string_view key) const;
    /// The same; complains when it is absent.
    JsonCursor required(std::string_view key) const;

    std::optional<std::string_view> text() const;
    std::optional<std::int64_t> integer(std::int64_t min, std::int64_t max) const;
    /// A whole number that is not below zero, of 64 bits.
    std::optional<std::uint64_t> natural() const;
    /// Finite; a whole number is one, too.
    std::optional<double> number() const;
    std::optional<bool> boolean() const;
    /// Text or a number, as in Kubernetes.
    std::optional<Quantity> quantity() const;
    /// An object whose values are text; empty when absent.
    Labels labels() const;
    /// Text that is not empty.
    std::optional<std::string_view> name() const;

    /// The items of an array, the members of an object; none when absent.
    std::vector<JsonCursor> items() const;
    std::vector<JsonCursor> members() const;
    /// The key of a member, the last part of the place's pointer.
    std::string_view key() const noexcept { return key_; }

    /// Adds "expects `expected`, found ..." or any other sentence about this place.
    void expects(std::string_view expected) const;
    void complain(std::string what) const;
    /// Complaints so far about the whole document; see JsonProblems::made.
    std::size_t complaints() const noexcept { return problems_->made(); }
    /// RFC 6901. Searches the document, so it is for messages only.
    std::string pointer() const;

private:
    friend class JsonProblems;
    JsonCursor(JsonProblems& problems, const boost::json::value* value,
               const boost::json::value* parent, std::string_view key) noexcept
        : problems_(&problems), value_(value), parent_(parent), key_(key) {}
    JsonCursor child(const boost::json::value& value, std::string_view key) const noexcept;

    JsonProblems* problems_;
    const boost::json::value* value_;   ///< NULL: absent
    const boost::json::value* parent_;  ///< the object that has or lacks `key_`; NULL: none exists
    std::string_view key_;
};

/// Whether something was complained about since this was made:
///     const Complaints complaints(place);
///     const auto ports = decode_host_ports(place);
///     if (complaints.any()) ...   // some of them could not be read
class Complaints {
public:
    explicit Complaints(const JsonCursor& place) noexcept
        : place_(place), before_(place.complaints()) {}
    bool any() const noexcept { return place_.complaints() != before_; }

private:
    JsonCursor place_;
    std::size_t before_;
};

inline JsonCursor JsonProblems::root() { return JsonCursor(*this, document_, nullptr, {}); }

}  // namespace capstan::kubernetes
