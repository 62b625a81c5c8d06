// Options of a group by its tags, with upstream's names.
#include <string>
#include <string_view>

#include <capstan/group_option_text.hpp>

#include "group_template.hpp"
#include "node_tags.hpp"

namespace capstan::aws {
namespace {

constexpr std::string_view options_part = "autoscaling-options/";

}  // namespace

TaggedOptions read_option_tags(const Labels& tags) {
    TaggedOptions out;
    GroupOptions options;
    for (const auto& [key, value] : tags) {
        std::string_view name = key;
        if (!name.starts_with(node_template_prefix)) continue;
        name.remove_prefix(node_template_prefix.size());
        if (!name.starts_with(options_part)) continue;
        const Result<void> read =
            read_group_option(name.substr(options_part.size()), value, options);
        if (!read) out.warnings.push_back("tag " + key + ": " + read.error().message);
    }
    if (options != GroupOptions()) out.options = options;
    return out;
}

}  // namespace capstan::aws
