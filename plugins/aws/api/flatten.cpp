#include "flatten.hpp"

#include <array>
#include <cstddef>
#include <pugixml.hpp>

#include <capstan/ascii.hpp>

namespace capstan::aws {
namespace {

constexpr int deepest_parameter = 16;

/// Lists with a name in requests that does not follow by rule from the name in answers; botocore's
/// model of ec2 has no others. `parent` is empty if any parent matches.
struct ListName {
    std::string_view parent, in_answer, in_request;
};
constexpr std::array list_names{
    ListName{"", "groupSet", "SecurityGroupId"},
    ListName{"", "licenseSet", "LicenseSpecification"},
    ListName{"networkInterfaceSet", "privateIpAddressesSet", "PrivateIpAddresses"},
    ListName{"networkInterfaceSet", "ipv6AddressesSet", "Ipv6Addresses"},
    ListName{"secondaryInterfaceSet", "privateIpAddressesSet", "PrivateIpAddress"},
};

/// Whether only answers have the member: a request with it is refused.
bool is_of_answers_alone(std::string_view parent, std::string_view name) noexcept {
    return name == "operator" || name == "isPrimaryIpv6" ||
           (parent == "metadataOptions" && name == "state");
}

/// An empty `noDevice` element suppresses a device of the image.
bool says_by_its_presence(std::string_view name) noexcept { return name == "noDevice"; }

bool is_element(const pugi::xml_node& node) noexcept { return node.type() == pugi::node_element; }

pugi::xml_node first_element(const pugi::xml_node& node) noexcept {
    pugi::xml_node child = node.first_child();
    while (child && !is_element(child)) child = child.next_sibling();
    return child;
}

bool is_item(std::string_view name) noexcept { return name == "item" || name == "member"; }

bool is_list(const pugi::xml_node& node) noexcept {
    const std::string_view name = node.name();
    return name.ends_with("Set") || is_item(first_element(node).name());
}

std::string with_capital(std::string_view name) {
    std::string out(name);
    if (!out.empty() && is_ascii_lower(out.front()))
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return out;
}

std::string list_name(std::string_view parent, std::string_view name) {
    for (const ListName& known : list_names) {
        if (known.in_answer == name && (known.parent.empty() || known.parent == parent))
            return std::string(known.in_request);
    }
    std::string out = with_capital(name);
    if (name.ends_with("Set")) {
        out.resize(out.size() - 3);
    } else if (name.ends_with("ies")) {
        out.replace(out.size() - 3, 3, "y");
    } else if (name.ends_with('s')) {
        out.pop_back();
    }
    return out;
}

/// Collects the parameters in one traversal of an answer.
class Flattening {
public:
    Ec2Parameters take() { return std::move(out_); }

    /// `parent`: the name of `element`, or of the list if `element` is a list's item.
    void add_children(const pugi::xml_node& element, std::string_view parent,
                      const std::string& prefix, int depth) {
        for (const pugi::xml_node& child : element.children()) {
            const std::string_view name = child.name();
            if (!is_element(child) || is_of_answers_alone(parent, name)) continue;
            if (is_list(child)) {
                add_items(child, prefix + list_name(parent, name), depth);
            } else {
                add(child, name, prefix + with_capital(name), depth);
            }
        }
    }

private:
    void add_items(const pugi::xml_node& list, const std::string& name, int depth) {
        int number = 0;
        for (const pugi::xml_node& item : list.children()) {
            if (!is_element(item)) continue;
            const std::size_t before = out_.size();
            add(item, list.name(), name + '.' + std::to_string(number + 1), depth);
            if (out_.size() > before) ++number;
        }
    }
    void add(const pugi::xml_node& element, std::string_view parent, const std::string& name,
             int depth) {
        if (depth >= deepest_parameter) return;
        if (first_element(element)) {
            add_children(element, parent, name + '.', depth + 1);
        } else if (const std::string_view text = element.child_value();
                   !text.empty() || says_by_its_presence(element.name())) {
            out_.emplace_back(name, text);
        }
    }

    Ec2Parameters out_{};
};

}  // namespace

Ec2Parameters flatten(const XmlElement& element) {
    Flattening walk;
    walk.add_children(element.node(), element.node().name(), "", 0);
    return walk.take();
}

const std::string* find_parameter(const Ec2Parameters& parameters, std::string_view name) noexcept {
    for (const auto& [key, value] : parameters) {
        if (key == name) return &value;
    }
    return nullptr;
}

std::vector<std::string> list_of_parameters(const Ec2Parameters& parameters,
                                            std::string_view name) {
    std::vector<std::string> out;
    for (const auto& [key, value] : parameters) {
        const std::string_view text = key;
        if (text.size() > name.size() + 1 && text.starts_with(name) && text[name.size()] == '.' &&
            text.find('.', name.size() + 1) == std::string_view::npos)
            out.push_back(value);
    }
    return out;
}

}  // namespace capstan::aws
