#include "engine/memory.hpp"

namespace capstan::engine {

std::string_view name_of(RemovalPhase phase) noexcept {
    switch (phase) {
        case RemovalPhase::tainting: return "tainting";
        case RemovalPhase::waiting: return "waiting";
        case RemovalPhase::draining: return "draining";
        case RemovalPhase::delayed: return "delayed";
        case RemovalPhase::deleting: return "deleting";
        case RemovalPhase::removed: return "removed";
        case RemovalPhase::undoing: return "undoing";
    }
    return "undoing";
}

bool is_revocable(RemovalPhase phase) noexcept {
    switch (phase) {
        case RemovalPhase::tainting:
        case RemovalPhase::waiting:
        case RemovalPhase::draining:
        case RemovalPhase::delayed: return true;
        case RemovalPhase::deleting:
        case RemovalPhase::removed:
        case RemovalPhase::undoing: return false;
    }
    return false;
}

}  // namespace capstan::engine
