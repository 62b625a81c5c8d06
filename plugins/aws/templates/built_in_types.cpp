#include "built_in_types.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <capstan/whole_number.hpp>

namespace capstan::aws {
namespace {

struct BuiltInTypes {
    std::string_view date, lines;
};
constexpr BuiltInTypes built_in_types{
#include "built_in_types.inc"
};

struct TypeLetter {
    char letter;
    std::string_view name;
};
constexpr std::array<TypeLetter, 5> architecture_letters{
    {{'x', "x86_64"}, {'a', "arm64"}, {'i', "i386"}, {'X', "x86_64_mac"}, {'A', "arm64_mac"}}};
constexpr std::array<TypeLetter, 3> usage_letters{
    {{'o', "on-demand"}, {'s', "spot"}, {'c', "capacity-block"}}};

template <std::size_t n>
std::vector<std::string> names_of_letters(std::string_view letters,
                                          const std::array<TypeLetter, n>& known) {
    std::vector<std::string> out;
    for (const char c : letters)
        for (const TypeLetter& letter : known)
            if (letter.letter == c) out.emplace_back(letter.name);
    return out;
}

/// Takes the text up to the separator from the front of `rest`, and drops the separator.
std::string_view take_line_field(std::string_view& rest, char separator) {
    const std::string_view field = rest.substr(0, rest.find(separator));
    rest.remove_prefix(field.size() < rest.size() ? field.size() + 1 : rest.size());
    return field;
}

std::int64_t take_line_number(std::string_view& rest, char separator) {
    return find_whole_number(take_line_field(rest, separator)).value_or(0);
}

std::vector<Accelerators> read_device_field(std::string_view field) {
    std::vector<Accelerators> out;
    if (field == "-") return out;
    while (!field.empty()) {
        std::string_view device = take_line_field(field, '+');
        Accelerators read{.manufacturer = std::string(take_line_field(device, '/')),
                          .name = std::string(take_line_field(device, '/')),
                          .count = static_cast<int>(take_line_number(device, '/')),
                          .memory_mib = take_line_number(device, '/')};
        for (char& c : read.name)
            if (c == '_') c = ' ';
        out.push_back(std::move(read));
    }
    return out;
}

std::optional<InstanceType> read_type_line(std::string_view line) {
    InstanceType out{.name = std::string(take_line_field(line, ' ')),
                     .vcpus = take_line_number(line, ' '),
                     .memory_mib = take_line_number(line, ' ')};
    out.architectures = names_of_letters(take_line_field(line, ' '), architecture_letters);
    out.network_interfaces = static_cast<int>(take_line_number(line, ' '));
    out.ipv4_per_interface = static_cast<int>(take_line_number(line, ' '));
    const std::string_view flags = take_line_field(line, ' ');
    out.has_prefix_delegation = flags.find('p') != std::string_view::npos;
    out.bare_metal = flags.find('b') != std::string_view::npos;
    out.gpus = read_device_field(take_line_field(line, ' '));
    out.neuron_devices = read_device_field(take_line_field(line, ' '));
    out.neuron_cores = static_cast<int>(take_line_number(line, ' '));
    out.instance_storage_gib = take_line_number(line, ' ');
    out.efa_interfaces = static_cast<int>(take_line_number(line, ' '));
    out.usage_classes = names_of_letters(take_line_field(line, ' '), usage_letters);
    if (out.vcpus <= 0 || out.memory_mib <= 0) return std::nullopt;
    return out;
}

}  // namespace

std::string_view built_in_type_lines() noexcept { return built_in_types.lines; }
std::string_view built_in_types_date() noexcept { return built_in_types.date; }

std::vector<InstanceType> read_type_lines(std::string_view lines) {
    std::vector<InstanceType> out;
    while (!lines.empty()) {
        auto type = read_type_line(take_line_field(lines, '\n'));
        if (type) out.push_back(std::move(*type));
    }
    return out;
}

}  // namespace capstan::aws
