/// Reads untrusted JSON. Every step may fail. A problem is recorded together with its place, and
/// reading continues, so that one run finds all problems of a document.
///
///     JsonProblems problems(document);
///     const JsonCursor pod = problems.root();
///     const auto node = pod["spec"]["nodeName"].text();  // nothing when absent or no text
///     // problem if it is not text: /spec/nodeName: expects text, found a number (7)
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

/// The problems of one document. Borrows the document. Keeps the first `limit` problems and counts
/// the rest.
class JsonProblems {
public:
    explicit JsonProblems(const boost::json::value& document, std::size_t limit = 20)
        : document_(&document), limit_(limit) {}

    JsonCursor root();
    /// An equal problem that is kept already is not kept twice.
    void add(JsonProblem problem);
    /// No further problem is kept. The caller then need not search for the pointer, and calls
    /// leave_out() instead of add().
    bool is_full() const noexcept { return kept_.size() >= limit_; }
    /// Counts a problem without keeping it.
    void leave_out() noexcept {
        ++made_;
        ++left_out_;
    }
    /// How many problems were reported so far, repeated and left out ones included. The count grows
    /// while a part is read if and only if the part has a problem.
    std::size_t made() const noexcept { return made_; }
    bool empty() const noexcept { return kept_.empty(); }
    const std::vector<JsonProblem>& kept() const noexcept { return kept_; }
    /// How many problems were left out; a repeated problem may count twice.
    std::size_t left_out() const noexcept { return left_out_; }
    const boost::json::value& document() const noexcept { return *document_; }

private:
    const boost::json::value* document_;
    std::size_t limit_;
    std::vector<JsonProblem> kept_;
    std::size_t left_out_ = 0;
    std::size_t made_ = 0;
};

/// A value in a document, or the place where an absent value would be. A null counts as absent, as
/// in Kubernetes. Reading an absent value gives nothing. Reading a value of another type adds a
/// problem and gives nothing. Cheap to copy. Valid as long as the document and its JsonProblems,
/// which all copies share: one thread at a time.
class JsonCursor {
public:
    bool is_absent() const noexcept { return value_ == nullptr; }
    explicit operator bool() const noexcept { return value_ != nullptr; }
    /// Adds no problem.
    bool is_text() const noexcept;

    /// A member of an object.
    JsonCursor operator[](std::string_view key) const;
    /// A member of an object; an absent member is a problem.
    JsonCursor required(std::string_view key) const;

    std::optional<std::string_view> text() const;
    std::optional<std::int64_t> integer(std::int64_t min, std::int64_t max) const;
    /// An integer from 0 to 2^64 - 1.
    std::optional<std::uint64_t> natural() const;
    /// A finite number, whole or not.
    std::optional<double> number() const;
    std::optional<bool> boolean() const;
    /// Text or a number, as in Kubernetes.
    std::optional<Quantity> quantity() const;
    /// An object whose values are text; empty when absent.
    Labels labels() const;
    /// Text that is not empty.
    std::optional<std::string_view> name() const;

    /// The items of an array, and the members of an object; empty when absent.
    std::vector<JsonCursor> items() const;
    std::vector<JsonCursor> members() const;
    /// The key of a member: the last part of its pointer.
    std::string_view key() const noexcept { return key_; }

    /// Adds the problem "expects `expected`, found ..." to this place.
    void expects(std::string_view expected) const;
    /// Adds the problem `what` to this place.
    void complain(std::string what) const;
    /// How many problems the whole document has so far; see JsonProblems::made.
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

/// Tells whether a problem was added since it was constructed:
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
