#include "simulator/api_server/resource_storage.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/json/memory_resource.hpp>

namespace capstan::simulator::api_server {
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

/// The memory that a copy of the value allocates in addition to the value itself; an upper
/// estimate.
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

/// An arena: hands out memory part by part and frees all of it at once.
class Arena {
public:
    explicit Arena(std::size_t size) { add(first_, size); }

    void* take(std::size_t size, std::size_t alignment) {
        void* at = next_;
        if (std::align(alignment, size, at, left_) == nullptr) {
            // The estimate was too small.
            add(more_.emplace_back(), std::max(size + alignment, more_min));
            at = next_;
            std::align(alignment, size, at, left_);
        }
        next_ = static_cast<std::byte*>(at) + size;
        left_ -= size;
        return at;
    }

private:
    using Bytes = std::unique_ptr<std::byte[]>;
    static constexpr std::size_t more_min = 256;

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

/// The memory resource of all stored objects. While a stored object is constructed, memory comes
/// from its arena. Boost gives the copy of a value the memory resource of the original, so this
/// resource must also serve such copies, for as long as the program runs: at all other times memory
/// comes from the heap.
class StoredMemory final : public json::memory_resource {
public:
    /// As long as it lives, memory of this thread comes from that arena, and memory that is freed
    /// stays in the arena.
    class ArenaScope {
    public:
        explicit ArenaScope(Arena& arena) { arena_ = &arena; }
        ArenaScope(const ArenaScope&) = delete;
        ArenaScope& operator=(const ArenaScope&) = delete;
        ~ArenaScope() { arena_ = nullptr; }
    };

private:
    void* do_allocate(std::size_t size, std::size_t alignment) override {
        if (arena_ != nullptr) return arena_->take(size, alignment);
        return ::operator new(size);  // Boost asks for no more than its alignment
    }
    void do_deallocate(void* from, std::size_t size, std::size_t) override {
        if (arena_ == nullptr) ::operator delete(from, size);
    }
    bool do_is_equal(const json::memory_resource& other) const noexcept override {
        return this == &other;
    }

    static thread_local Arena* arena_;
};

thread_local Arena* StoredMemory::arena_ = nullptr;

json::memory_resource* stored_memory() {
    static StoredMemory* const memory = new StoredMemory;  // outlives every copy
    return memory;
}

struct StoredObject {
    explicit StoredObject(const json::object& from, std::uint64_t revision)
        : arena(sizeof(json::object) + bytes_of(from)) {
        const StoredMemory::ArenaScope scope(arena);
        void* const at = arena.take(sizeof(json::object), alignof(json::object));
        auto* const made = new (at) json::object(from, stored_memory());
        make_object(*made, "metadata")["resourceVersion"] = std::to_string(revision);
        object = made;
    }

    Arena arena;
    const json::object* object = nullptr;  ///< in the arena, which frees it without a destructor
};

}  // namespace

ApiObject make_stored(const json::object& object, std::uint64_t revision) {
    const auto stored = std::make_shared<const StoredObject>(object, revision);
    return {stored, stored->object};
}

struct Subscription::State {
    Subscriber subscriber;
    std::uint64_t delivered = 0;  ///< revision of the last change that the subscriber was given
    bool is_scheduled = false;    ///< the loop is about to deliver
    bool is_over = false;
};

Subscription::~Subscription() { state_->is_over = true; }

std::string object_key(std::string_view space, std::string_view name) {
    return std::string(space).append("/").append(name);
}

std::string object_key(const json::object& object) {
    return object_key(namespace_of(object), name_of(object));
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
    std::uint64_t delivered_to_all = changes_.back().revision;
    for (const auto& weak : subscribers_)
        if (const auto state = weak.lock(); state != nullptr && !state->is_over) {
            delivered_to_all = std::min(delivered_to_all, state->delivered);
            wake(state);
        }
    // Changes that the loop has not delivered yet stay, however many they are.
    while (changes_.size() > history_ && changes_.front().revision <= delivered_to_all) {
        oldest_ = changes_.front().revision;
        changes_.pop_front();
    }
}

void ResourceStorage::forget_until(std::uint64_t revision) {
    // A subscriber that was given all changes misses none of those that are discarded.
    for (const auto& weak : subscribers_)
        if (const auto state = weak.lock(); state != nullptr && next(state->delivered) == nullptr)
            state->delivered = std::max(state->delivered, revision);
    oldest_ = std::max(oldest_, revision);
    while (!changes_.empty() && changes_.front().revision <= oldest_) changes_.pop_front();
}

std::unique_ptr<Subscription> ResourceStorage::subscribe(std::uint64_t after,
                                                         Subscriber subscriber) {
    auto state = std::make_shared<Subscription::State>();
    state->subscriber = std::move(subscriber);
    state->delivered = after;
    subscribers_.push_back(state);
    wake(state);
    return std::make_unique<Subscription>(std::move(state));
}

void ResourceStorage::wake(const std::shared_ptr<Subscription::State>& state) {
    if (std::exchange(state->is_scheduled, true)) return;
    boost::asio::post(io_, [this, state] {
        state->is_scheduled = false;
        if (!state->is_over) deliver(state);
    });
}

void ResourceStorage::deliver(const std::shared_ptr<Subscription::State>& state) {
    while (!state->is_over && state->delivered >= oldest_) {
        const Change* change = next(state->delivered);
        if (change == nullptr) return;
        state->delivered = change->revision;
        // A copy, since the subscriber may write, which moves the history.
        const Change copy = *change;
        state->subscriber.changed(copy);
    }
    if (state->is_over) return;
    state->is_over = true;
    if (state->subscriber.expired) state->subscriber.expired();
}

const Change* ResourceStorage::next(std::uint64_t after) const {
    const auto found = std::ranges::upper_bound(changes_, after, {}, &Change::revision);
    return found == changes_.end() ? nullptr : &*found;
}

}  // namespace capstan::simulator::api_server
