#include "kubernetes/item_builder.hpp"

#include <utility>

namespace capstan::kubernetes {
namespace {

/// The kept members of nearly every object fit into this buffer.
constexpr std::size_t buffer_size = 64 * 1024;

}  // namespace

ItemBuilder::ItemBuilder(const KeptMembers* kept)
    : kept_(kept), buffer_(std::make_unique<unsigned char[]>(buffer_size)) {
    clear();
}

void ItemBuilder::clear() {
    open_.clear();
    keeps_next_ = true;
    object_.reset();
    stack_.reset();
    // A new resource, because a monotonic_resource keeps its doubled block size after release().
    memory_.emplace(buffer_.get(), buffer_size);
    stack_.reset(&*memory_);
}

void ItemBuilder::begin(bool is_array) {
    const KeptMembers* members = next_members_;
    if (open_.empty()) {
        members = kept_;
    } else if (open_.back().is_array) {
        members = open_.back().members;
    }
    open_.push_back({members, is_array, 0});
    keeps_next_ = true;
}

bool ItemBuilder::end() {
    const Open closed = open_.back();
    open_.pop_back();
    closed.is_array ? stack_.push_array(closed.count) : stack_.push_object(closed.count);
    if (!open_.empty()) {
        count_value();
        return false;
    }
    object_.emplace(stack_.release());
    return true;
}

void ItemBuilder::key(std::string_view key) {
    const KeptMembers* members = open_.back().members;
    const KeptMembers::Member* member = members != nullptr ? members->find(key) : nullptr;
    keeps_next_ = members == nullptr || member != nullptr;
    next_members_ = member != nullptr ? member->below : nullptr;
    if (keeps_next_) stack_.push_key(key);
}

void ItemBuilder::count_value() {
    ++open_.back().count;
    keeps_next_ = true;
}

void ItemBuilder::text(std::string_view rest) {
    stack_.push_string(rest);
    count_value();
}

void ItemBuilder::scalar(const boost::json::value& value) {
    switch (value.kind()) {
        case boost::json::kind::int64: stack_.push_int64(value.get_int64()); break;
        case boost::json::kind::uint64: stack_.push_uint64(value.get_uint64()); break;
        case boost::json::kind::double_: stack_.push_double(value.get_double()); break;
        case boost::json::kind::bool_: stack_.push_bool(value.get_bool()); break;
        default: stack_.push_null(); break;
    }
    count_value();
}

}  // namespace capstan::kubernetes
