#include "simulation/api_server/resource_storage.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/json/memory_resource.hpp>

namespace capstan::simulation::api_server {
namespace {

std::size_t bytes_of(const json::value& value);

std::size_t bytes_of(const json::object& object) {
    constexpr std::size_t head = 32;
    std::size_t out = object.empty() ? 0 : head;
    for (const auto& [key, value] : object)
        out +=
            sizeof(json::key_value_pair) + sizeof(std::uint32_t) + key.size() + 1 + bytes_of(value);
    return out;
}

/// What lies outside of the value itself, generously.
std::size_t bytes_of(const json::value& value) {
    constexpr std::size_t head = 32, inside = 14;
    if (const json::object* object = value.if_object()) return bytes_of(*object);
    if (const json::string* text = value.if_string())
        return text->size() <= inside ? 0 : head + text->size();
    const json::array* list = value.if_array();
    if (list == nullptr || list->empty()) return 0;
    std::size_t out = head + list->size() * sizeof(json::value);
    for (const json::value& item : *list) out += bytes_of(item);
    return out;
}

/// Memory that is given away bit by bit and taken back at once.
class Piece {
public:
    explicit Piece(std::size_t size) { add(first_, size); }

    void* take(std::size_t size, std::size_t alignment) {
        void* at = next_;
        if (std::align(alignment, size, at, left_) == nullptr) {
            // The guess was short.
            add(more_.emplace_back(), std::max(size + alignment, least_more));
            at = next_;
            std::align(alignment, size, at, left_);
        }
        next_ = static_cast<std::byte*>(at) + size;
        left_ -= size;
        return at;
    }

private:
    using Bytes = std::unique_ptr<std::byte[]>;
    static constexpr std::size_t least_more = 256;

    void add(Bytes& part, std::size_t size) {
        part = std::make_unique_for_overwrite<std::byte[]>(size);
        next_ = part.get();
        left_ = size;
    }

    Bytes first_;
    std::vector<Bytes> more_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

/// Of all kept objects. Boost's copies name the memory of what they were copied from, so it must
/// serve them, too, for as long as the program runs: outside the making of a kept object memory
/// comes from the heap.
class KeptMemory final : public json::memory_resource {
public:
    /// While one is made, by this thread, in that piece; what is given back then stays in it.
    class Making {
    public:
        explicit Making(Piece& piece) { piece_ = &piece; }
        Making(const Making&) = delete;
        Making& operator=(const Making&) = delete;
        ~Making() { piece_ = nullptr; }
    };

private:
    void* do_allocate(std::size_t size, std::size_t alignment) override {
        if (piece_ != nullptr) return piece_->take(size, alignment);
        return ::operator new(size);  // Boost asks for no more than its alignment
    }
    void do_deallocate(void* from, std::size_t size, std::size_t) override {
        if (piece_ == nullptr) ::operator delete(from, size);
    }
    bool do_is_equal(const json::memory_resource& other) const noexcept override {
        return this == &other;
    }

    static thread_local Piece* piece_;
};

thread_local Piece* KeptMemory::piece_ = nullptr;

json::memory_resource* kept_memory() {
    static KeptMemory* const memory = new KeptMemory;  // outlives every copy
    return memory;
}

struct Kept {
    explicit Kept(const json::object& from, std::uint64_t revision)
        : piece(sizeof(json::object) + bytes_of(from)) {
        const KeptMemory::Making making(piece);
        void* const at = piece.take(sizeof(json::object), alignof(json::object));
        auto* const made = new (at) json::object(from, kept_memory());
        make_object(*made, "metadata")["resourceVersion"] = std::to_string(revision);
        object = made;
    }

    Piece piece;
    const json::object* object = nullptr;  ///< in the piece; never destroyed, for all goes with it
};

}  // namespace

ApiObject make_kept(const json::object& object, std::uint64_t revision) {
    const auto kept = std::make_shared<const Kept>(object, revision);
    return {kept, kept->object};
}

struct Subscription::State {
    Subscriber subscriber;
    std::uint64_t seen = 0;
    bool is_awake = false;
    bool is_over = false;
};

Subscription::~Subscription() { state_->is_over = true; }

std::string object_key(std::string_view space, std::string_view name) {
    return std::string(space).append("/").append(name);
}

std::string object_key(const json::object& object) {
    return object_key(text_at(object, "metadata.namespace"), text_at(object, "metadata.name"));
}

ApiObject ResourceStorage::find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second->second;
}

ResourceStorage::Objects ResourceStorage::objects_at(std::uint64_t revision) const {
    Objects out = objects_;
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
        if (change->revision <= revision) break;
        const std::string key = object_key(*change->object);
        if (change->before == nullptr) {
            out.erase(key);
        } else {
            out[key] = change->before;
        }
    }
    return out;
}

bool ResourceStorage::has_changed_since(std::uint64_t revision) const {
    return !changes_.empty() && changes_.back().revision > revision;
}

void ResourceStorage::set(const std::string& key, const ApiObject& object) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
        found->second->second = object;
    } else {
        const auto made = objects_.emplace(key, object).first;
        by_key_.emplace(made->first, made);
    }
}

void ResourceStorage::erase(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    const auto gone = found->second;
    by_key_.erase(found);
    objects_.erase(gone);
}

void ResourceStorage::record(const std::string& key, Change change) {
    if (change.type == ChangeType::deleted) {
        erase(key);
    } else {
        set(key, change.object);
    }
    changes_.push_back(std::move(change));
    std::erase_if(subscribers_, [](const auto& weak) { return weak.expired(); });
    std::uint64_t told = changes_.back().revision;
    for (const auto& weak : subscribers_)
        if (const auto state = weak.lock(); state != nullptr && !state->is_over) {
            told = std::min(told, state->seen);
            wake(state);
        }
    // A burst that the loop has not told yet stays, however long it is.
    while (changes_.size() > history_ && changes_.front().revision <= told) {
        oldest_ = changes_.front().revision;
        changes_.pop_front();
    }
}

void ResourceStorage::forget_until(std::uint64_t revision) {
    // A watcher that has been told everything misses nothing.
    for (const auto& weak : subscribers_)
        if (const auto state = weak.lock(); state != nullptr && next(state->seen) == nullptr)
            state->seen = std::max(state->seen, revision);
    oldest_ = std::max(oldest_, revision);
    while (!changes_.empty() && changes_.front().revision <= oldest_) changes_.pop_front();
}

std::unique_ptr<Subscription> ResourceStorage::subscribe(std::uint64_t after,
                                                         Subscriber subscriber) {
    auto state = std::make_shared<Subscription::State>();
    state->subscriber = std::move(subscriber);
    state->seen = after;
    subscribers_.push_back(state);
    wake(state);
    return std::make_unique<Subscription>(std::move(state));
}

void ResourceStorage::wake(const std::shared_ptr<Subscription::State>& state) {
    if (std::exchange(state->is_awake, true)) return;
    boost::asio::post(io_, [this, state] {
        state->is_awake = false;
        if (!state->is_over) deliver(state);
    });
}

void ResourceStorage::deliver(const std::shared_ptr<Subscription::State>& state) {
    while (!state->is_over && state->seen >= oldest_) {
        const Change* change = next(state->seen);
        if (change == nullptr) return;
        state->seen = change->revision;
        // A copy: the watcher that is told may write, which moves the history.
        const Change told = *change;
        state->subscriber.changed(told);
    }
    if (state->is_over) return;
    state->is_over = true;
    if (state->subscriber.expired) state->subscriber.expired();
}

const Change* ResourceStorage::next(std::uint64_t after) const {
    const auto found = std::ranges::upper_bound(changes_, after, {}, &Change::revision);
    return found == changes_.end() ? nullptr : &*found;
}

}  // namespace capstan::simulation::api_server
