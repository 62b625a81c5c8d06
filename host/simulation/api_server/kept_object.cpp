#include "simulation/api_server/kept_object.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <boost/json/memory_resource.hpp>

namespace capstan::simulation {
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
/// serve them, too, for as long as the program runs: whoever is not making a kept object gets
/// memory of its own from the heap.
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

}  // namespace capstan::simulation
