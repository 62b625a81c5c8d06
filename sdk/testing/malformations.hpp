/// Nouns gone wrong: what a host never sends, in structs whose memory is as promised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <capstan/abi/model.h>
#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// One way of being wrong, for each noun.
struct Malformation {
    std::string_view name;
    void (*group)(capstan_group& group);
    void (*node)(capstan_template& node);
    void (*option)(capstan_option& option);
};
std::span<const Malformation> malformations() noexcept;

/// Structs as a newer host sends them: longer than ours, the new members full of poison. Owns the
/// memory.
class Stretcher {
public:
    /// A copy of `raw` with a tail.
    template <class T>
    const T* one(const T& raw) {
        return reinterpret_cast<const T*>(copy(&raw, sizeof(T), 1, sizeof(T)));
    }
    /// A copy of an array of structs that begin with struct_size.
    template <class T>
    capstan_array list(capstan_array raw) {
        if (raw.count == 0) return raw;
        return {copy(raw.data, sizeof(T), raw.count, raw.stride), raw.count, sizeof(T) + tail};
    }

private:
    static constexpr std::uint32_t tail = 40;
    const void* copy(const void* from, std::size_t size, std::uint32_t count, std::uint32_t stride);
    std::deque<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
