/// Shows the passes of a run to an explainer.
#pragma once

#include <string_view>

#include "autoscaler/questions/explainer.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator {

/// Borrows the explainer, and has it ask at the end of the run.
class ExplainingObserver final : public Observer {
public:
    explicit ExplainingObserver(autoscaler::questions::Explainer& explainer)
        : explainer_(explainer) {}

    /// Of a node that is deleted: "node NAME is deleted", "node NAME is deleted with 2 pods".
    void on_event(const Event& event) override {
        constexpr std::string_view before = "node ", after = " is deleted";
        std::string_view text = event.text;
        if (event.kind != EventKind::node || !text.starts_with(before)) return;
        text.remove_prefix(before.size());
        const std::size_t end = text.find(after);
        if (end == std::string_view::npos) return;
        const std::string_view rest = text.substr(end + after.size());
        if (rest.empty() || rest.starts_with(" with "))
            explainer_.note_deleted(text.substr(0, end), event.at);
    }
    void on_decision(const autoscaler::PassReport& pass) override {
        explainer_.take_pass(pass.input);
    }
    bool wants_last_look() const override { return !explainer_.is_asked(); }
    void on_last_look(const autoscaler::PassInput& input) override { explainer_.take_last(input); }
    void on_end() override { explainer_.finish(); }

private:
    autoscaler::questions::Explainer& explainer_;
};

}  // namespace capstan::simulator
