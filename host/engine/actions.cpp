#include "engine/actions.hpp"

namespace capstan::engine {

std::string_view name_of(RemovalCause cause) noexcept {
    switch (cause) {
        case RemovalCause::underutilized: return "underutilized";
        case RemovalCause::empty: return "empty";
        case RemovalCause::unready: return "unready";
        case RemovalCause::never_joined: return "never_joined";
        case RemovalCause::failed: return "failed";
    }
    return "underutilized";
}

}  // namespace capstan::engine
