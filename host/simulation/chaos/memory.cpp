#include "runtime/record/memory_text.hpp"
#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation::chaos {
namespace {

class MemoryComesBack final : public Invariant {
public:
    std::string_view name() const override { return "memory"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        const Result<std::string> text = runtime::record::memory_text(moment.memory(), "chaos");
        if (!text) return {"memory has no text: " + text.error().message};
        const Result<engine::Memory> back = runtime::record::parse_memory(*text, "memory");
        if (!back) return {"memory's text cannot be read: " + back.error().message};
        if (*back == moment.memory()) return {};
        return {"memory does not come back from its text as it was"};
    }
};

}  // namespace

std::unique_ptr<Invariant> memory_invariant() { return std::make_unique<MemoryComesBack>(); }

}  // namespace capstan::simulation::chaos
