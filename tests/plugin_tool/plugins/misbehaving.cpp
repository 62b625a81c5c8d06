// One class for each violation of the contract that the commands must survive.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <thread>
#include <tuple>

#include <capstan/plugin.hpp>

namespace {

using namespace capstan;

class Hangs {
public:
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
};

class Throws {
public:
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {
        throw std::runtime_error("lost the scores");
    }
};

class KeepsUnknownOption {
public:
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        capstan_option beyond{};
        keep(OptionView(beyond, question.options().size() + 4));
    }
};

class Crashes {
public:
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {
        std::raise(SIGSEGV);
    }
};

class KeepsNothing {
public:
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
};

/// Prints with stdio, with a stream and to a descriptor.
class Prints {
public:
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        std::puts("noise of stdio");
        std::fflush(stdout);
        std::cout << "noise of a stream" << std::endl;
        constexpr std::string_view bare = "noise of a descriptor\n";
        std::ignore = ::write(STDOUT_FILENO, bare.data(), bare.size());
        if (!question.options().empty()) keep(question.options()[0]);
    }
};

class CannotBeCreated : public KeepsNothing {
public:
    CannotBeCreated() { throw Failure(ErrorCode::unavailable, "there is no model to load"); }
};

class CrashesInCreate : public KeepsNothing {
public:
    CrashesInCreate() { std::raise(SIGSEGV); }
};

class HangsInCreate : public KeepsNothing {
public:
    HangsInCreate() {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
};

class KeepsTheFirst {
public:
    void filter(const Call& call, const ExpanderRequest& question, const Selection& keep) const {
        if (question.options().empty()) return;
        keep(question.options()[0]);
        call.explain("keeps the first of " + std::to_string(question.options().size()));
    }
};

}  // namespace

CAPSTAN_PLUGIN(
    "test.misbehaving", "0.1.0", "Capstan's tests", CAPSTAN_KIND_EXPANDER,
    capstan::make_class<Hangs>({.id = "hangs", .doc = "Never returns."}),
    capstan::make_class<Throws>({.id = "throws", .doc = "Throws."}),
    capstan::make_class<KeepsUnknownOption>({.id = "garbage",
                                             .doc = "Keeps options that are not there."}),
    capstan::make_class<Crashes>({.id = "crashes", .doc = "Takes the process with it."}),
    capstan::make_class<CannotBeCreated>({.id = "cannot_be_created", .doc = "Fails in create."}),
    capstan::make_class<CrashesInCreate>({.id = "crashes_in_create",
                                          .doc = "Takes the process with it."}),
    capstan::make_class<HangsInCreate>({.id = "hangs_in_create",
                                        .doc = "Never returns from create."}),
    capstan::make_class<Prints>({.id = "prints", .doc = "Writes to standard output."}),
    capstan::make_class<KeepsTheFirst>({.id = "first", .doc = "Behaves."}))
