#include "kubernetes/client/access/kubeconfig_yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <boost/json/parse.hpp>

#include "io/printable.hpp"

namespace capstan::kubernetes::client {
namespace {

/// Thrown by the parser's callbacks, which cannot stop the parser in another way.
struct Refused {
    std::size_t line;
    std::string why;
};

std::size_t line_of(const YAML::Mark& mark) {
    return mark.line < 0 ? 0 : static_cast<std::size_t>(mark.line) + 1;
}

/// Builds the tree from the parser's events. Aliases become copies, and copies count against the
/// limits, so that a small file cannot expand without bound.
class TreeBuilder final : public YAML::EventHandler {
public:
    explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

    YamlValue take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add({.line = line_of(mark)}, anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlValue out{.kind = YamlValue::Kind::text, .line = line_of(mark), .text = value};
        out.is_plain = tag == "?";
        add(std::move(out), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchored_.find(anchor);
        if (found == anchored_.end()) throw Refused{line_of(mark), "an alias refers to itself"};
        spend(found->second, line_of(mark));
        add(found->second, 0);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(YamlValue::Kind::list, mark, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(YamlValue::Kind::map, mark, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        YamlValue value;
        YAML::anchor_t anchor;
        std::optional<std::string> key{};
        std::set<std::string> keys{};
    };

    void open(YamlValue::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (open_.size() >= limits_.depth) throw Refused{line_of(mark), "nested too deeply"};
        open_.push_back({{.kind = kind, .line = line_of(mark)}, anchor});
    }
    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        add(std::move(done.value), done.anchor);
    }
    void add(YamlValue value, YAML::anchor_t anchor) {
        spend(1, value.text.size(), value.line);
        if (anchor != 0) {
            spend(value, value.line);
            anchored_.insert_or_assign(anchor, value);
        }
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (Open& parent = open_.back(); parent.value.kind == YamlValue::Kind::list) {
            parent.value.children.push_back(std::move(value));
        } else if (!parent.key) {
            take_key(parent, value);
        } else {
            value.key = *std::exchange(parent.key, std::nullopt);
            parent.value.children.push_back(std::move(value));
        }
    }
    static void take_key(Open& parent, const YamlValue& key) {
        if (key.kind != YamlValue::Kind::text) throw Refused{key.line, "a key is not text"};
        if (!parent.keys.insert(key.text).second) throw Refused{key.line, "duplicate key"};
        parent.key = key.text;
    }
    void spend(const YamlValue& copied, std::size_t line) {
        spend(1, copied.text.size() + copied.key.size(), line);
        for (const YamlValue& child : copied.children) spend(child, line);
    }
    void spend(std::size_t values, std::size_t bytes, std::size_t line) {
        values_ += values;
        bytes_ += bytes;
        if (values_ > limits_.values || bytes_ > limits_.bytes)
            throw Refused{line, "too large after expanding aliases"};
    }

    YamlLimits limits_;
    YamlValue root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, YamlValue> anchored_;
    std::size_t values_ = 0, bytes_ = 0;
};

/// Finds control characters and bytes that are not UTF-8. yaml-cpp takes some control characters
/// for the end of the file, and any encoding for UTF-8.
std::optional<Refused> find_binary(const std::string& text) {
    const auto is_binary = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
    };
    const auto bad = std::ranges::find_if(text, is_binary);
    if (bad != text.end()) {
        const auto line = static_cast<std::size_t>(std::count(text.begin(), bad, '\n')) + 1;
        return Refused{line, "not text: contains a control character"};
    }
    if (io::repaired(text) != text)
        return Refused{1, "not text: contains bytes that are not UTF-8"};
    return std::nullopt;
}

/// The message of yaml-cpp without the part that may quote the file.
std::string yaml_reason(const YAML::Exception& e) {
    return "not YAML: " + e.msg.substr(0, e.msg.find(": "));
}

YamlValue read_document(const std::string& text, const YamlLimits& limits) {
    // The last line breaks are removed: behind one, yaml-cpp does not notice an unclosed quote.
    std::istringstream in(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    YAML::Parser parser(in);
    TreeBuilder builder(limits);
    if (!parser.HandleNextDocument(builder)) return {};
    TreeBuilder rest(limits);
    if (parser.HandleNextDocument(rest)) {
        const YamlValue second = rest.take_root();
        if (second.kind != YamlValue::Kind::null)
            throw Refused{second.line, "a second document begins; use a separate file for it"};
    }
    return builder.take_root();
}

}  // namespace

const YamlValue* YamlValue::find(std::string_view name) const {
    if (kind != Kind::map) return nullptr;
    const auto found = std::ranges::find(children, name, &YamlValue::key);
    return found == children.end() || found->kind == Kind::null ? nullptr : &*found;
}

Result<YamlValue> parse_yaml(std::string_view name, const std::string& text,
                             const YamlLimits& limits) {
    const auto refuse = [&](std::size_t line, const std::string& why) {
        return fail(
            ErrorCode::invalid_config,
            std::string(name) + ':' + (line == 0 ? "" : std::to_string(line) + ':') + ' ' + why);
    };
    if (text.size() > limits.bytes) return refuse(0, "too large");
    if (const auto binary = find_binary(text)) return refuse(binary->line, binary->why);
    try {
        return read_document(text, limits);
    } catch (const Refused& refused) {
        return refuse(refused.line, refused.why);
    } catch (const YAML::Exception& e) {
        return refuse(line_of(e.mark), yaml_reason(e));
    }
}

boost::json::value json_of(const YamlValue& value) {
    switch (value.kind) {
        case YamlValue::Kind::null: return nullptr;
        case YamlValue::Kind::list: {
            boost::json::array out;
            for (const YamlValue& item : value.children) out.push_back(json_of(item));
            return out;
        }
        case YamlValue::Kind::map: {
            boost::json::object out;
            for (const YamlValue& member : value.children) out[member.key] = json_of(member);
            return out;
        }
        case YamlValue::Kind::text: break;
    }
    boost::json::error_code error;
    const boost::json::value plain =
        value.is_plain ? boost::json::parse(value.text, error) : boost::json::value();
    const bool is_literal = value.is_plain && !error && (plain.is_number() || plain.is_bool());
    return is_literal ? plain : boost::json::value(value.text);
}

}  // namespace capstan::kubernetes::client
