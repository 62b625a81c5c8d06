/// Several observers of one run as one observer.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "simulator/run.hpp"

namespace capstan::simulator {

/// Calls a visitor of passes that knows nothing of simulations. Borrows it.
class VisitorObserver final : public Observer {
public:
    explicit VisitorObserver(autoscaler::PassVisitor& visitor) : visitor_(visitor) {}

    void on_decision(const autoscaler::PassReport& pass) override { visitor_.on_decision(pass); }
    void on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) override {
        visitor_.on_pass(pass);
    }

private:
    autoscaler::PassVisitor& visitor_;
};

/// Calls each observer in the order in which they were added. Borrows them.
class Observers final : public Observer {
public:
    void add(Observer& observer) { all_.push_back(&observer); }
    void add(autoscaler::PassVisitor& visitor) {
        add(*visitors_.emplace_back(std::make_unique<VisitorObserver>(visitor)));
    }

    void on_event(const Event& event) override {
        for (Observer* one : all_) one->on_event(event);
    }
    bool wants_facts() const override { return std::ranges::any_of(all_, &Observer::wants_facts); }
    void on_fact(const Fact& fact) override {
        for (Observer* one : all_)
            if (one->wants_facts()) one->on_fact(fact);
    }
    void on_drawn(const Fault& fault) override {
        for (Observer* one : all_) one->on_drawn(fault);
    }
    void on_left_out(const Action& action) override {
        for (Observer* one : all_) one->on_left_out(action);
    }
    void on_progress(const Progress& progress) override {
        for (Observer* one : all_) one->on_progress(progress);
    }
    void on_decision(const autoscaler::PassReport& pass) override {
        for (Observer* one : all_) one->on_decision(pass);
    }
    void on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) override {
        for (Observer* one : all_) one->on_pass(pass);
    }
    void on_restart(const engine::Memory& memory, Time now) override {
        for (Observer* one : all_) one->on_restart(memory, now);
    }
    void on_balancers(const std::vector<BalancerState>& balancers, Time now) override {
        for (Observer* one : all_) one->on_balancers(balancers, now);
    }
    bool wants_last_look() const override {
        return std::ranges::any_of(all_, &Observer::wants_last_look);
    }
    void on_last_look(const autoscaler::PassInput& input) override {
        for (Observer* one : all_)
            if (one->wants_last_look()) one->on_last_look(input);
    }
    void on_end() override {
        for (Observer* one : all_) one->on_end();
    }

private:
    std::vector<Observer*> all_;
    std::vector<std::unique_ptr<VisitorObserver>> visitors_;
};

}  // namespace capstan::simulator
