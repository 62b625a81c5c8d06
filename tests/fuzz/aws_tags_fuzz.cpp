#include <algorithm>
#include <string>
#include <string_view>

#include <capstan/label_syntax.hpp>

#include "fuzzing.hpp"
#include "templates/group_template.hpp"

namespace {

using namespace capstan;

/// Lines of "key=value"; a line without '=' is a tag without a value.
Labels tags_in(std::string_view text) {
    Labels out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t sign = std::min(line.find('='), line.size());
        out.insert_or_assign(std::string(line.substr(0, sign)),
                             std::string(line.substr(std::min(sign + 1, line.size()))));
    }
    return out;
}

void require_sentences(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings)
        fuzz::require(!warning.empty(), "a warning says something");
}

/// Kubernetes refuses nodes with invalid labels.
void require_syntax(const NodeTemplate& node) {
    for (const auto& [key, value] : node.labels)
        fuzz::require(check_label_key(key) && check_label_value(value),
                      "labels are valid in Kubernetes");
    for (const Taint& taint : node.taints) fuzz::require(!taint.key.empty(), "a taint has a key");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    aws::TemplateSources sources;
    sources.group.name = "group";
    sources.group.zones = {"eu-central-1a"};
    sources.group.tags = tags_in(fuzz::text_of(data, size));
    sources.types = {{.name = "m5.large",
                      .vcpus = 2,
                      .memory_mib = 8192,
                      .architectures = {"x86_64"},
                      .network_interfaces = 3,
                      .ipv4_per_interface = 10}};
    const aws::TemplateConfig config{.region = "eu-central-1"};
    const auto made = aws::make_template(sources, config);
    const auto again = aws::make_template(sources, config);
    fuzz::require(made.has_value() == again.has_value(), "equal tags give an equal template");
    if (!made) {
        fuzz::require(!made.error().message.empty(), "a refusal has a reason");
    } else {
        fuzz::require(made->node == again->node, "equal tags give an equal template");
        require_sentences(made->warnings);
        require_syntax(made->node);
    }
    require_sentences(aws::read_option_tags(sources.group.tags).warnings);
    return 0;
}
