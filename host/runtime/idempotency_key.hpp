/// The key by which a cloud recognizes a request that it has carried out already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/ascii.hpp>
#include <capstan/hash.hpp>
#include <capstan/ids.hpp>

#include "engine/pass/outcome.hpp"

namespace capstan::runtime {

/// Two keys are equal only for the same kind of request with the same parts to the same cloud in
/// the same pass: a retry has the key of its first try, a later pass has another.
class IdempotencyKey {
public:
    IdempotencyKey(std::string_view kind, const PluginInstanceId& cloud, const NodeGroupId& group,
                   const engine::CallContext& call_context) {
        hash_.add(kind);
        hash_.add(cloud.value());
        hash_.add(group.value());
        hash_.add(unix_ns(call_context.now));
        hash_.add(static_cast<std::int64_t>(call_context.seed));
    }
    /// Adds what else tells this request from others. The order of the parts matters.
    template <class T>
    IdempotencyKey& with(const T& part) {
        hash_.add(part);
        return *this;
    }
    /// "capstan-" and 16 hexadecimal digits.
    std::string text() const { return "capstan-" + hex_text(hash_.value()); }

private:
    Hash hash_;
};

}  // namespace capstan::runtime
