// Code that runs when its file is loaded, before the host calls it. Its behaviour is a string in
// the file, which a test overwrites.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <tuple>

#include <capstan/plugin.hpp>

namespace {

using namespace capstan;

char behaviour[256] = "CAPSTAN_EARLY=nothing";

void write_text(int to, std::string_view what) {
    std::ignore = ::write(to, what.data(), what.size());
}

[[gnu::constructor]] void begin() {
    // volatile: the compiler must not use the initial value.
    const volatile char* place = behaviour;
    static char text[sizeof behaviour];
    for (std::size_t i = 0; i < sizeof text; ++i) text[i] = place[i];
    const std::string_view what = std::string_view(text).substr(sizeof "CAPSTAN_EARLY=" - 1);
    if (what.starts_with("/"))
        std::ignore = ::open(what.data(), O_WRONLY | O_CREAT, 0600);
    else if (what == "abort")
        std::abort();
    else if (what == "chatter")
        for (;;) write_text(STDERR_FILENO, "noise\n");
    else if (what == "forge")
        for (int fd = STDERR_FILENO + 1; fd < 256; ++fd)
            write_text(fd, "{\"sha256\":\"forged\"}\n");
}

class Keeps {
public:
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        if (!question.options().empty()) keep(question.options()[0]);
    }
};

}  // namespace

CAPSTAN_PLUGIN("test.early", "0.1.0", "Capstan's tests", CAPSTAN_KIND_EXPANDER,
               capstan::make_class<Keeps>({.id = "keeps", .doc = "Behaves."}))
