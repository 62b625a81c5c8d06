// A plugin reads the same settings from the host and from the FakeSettings of the testing kit.
#include <capstan/setting_rules.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <capstan/testing/fake_settings.hpp>

#include "config/settings_view.hpp"
#include "config/text.hpp"

namespace capstan::config {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// What a plugin reads at a cursor with each getter that succeeds, and at all cursors below it.
std::string read_all(const capstan_settings* settings, capstan_cursor at) {
    std::string out;
    capstan_str text_value{};
    std::int64_t integer = 0;
    double number = 0;
    std::int32_t boolean = 0;
    if (settings->get_text(settings, at, &text_value) == CAPSTAN_OK)
        out += "text " + std::string(text(text_value)) + " ";
    if (settings->get_integer(settings, at, &integer) == CAPSTAN_OK)
        out += "integer " + std::to_string(integer) + " ";
    if (settings->get_float(settings, at, &number) == CAPSTAN_OK)
        out += "number " + toml_number(number) + " ";
    if (settings->get_boolean(settings, at, &boolean) == CAPSTAN_OK)
        out += "boolean " + std::to_string(boolean) + " ";
    for (std::uint32_t i = 0; i < settings->size(settings, at); ++i) {
        capstan_str key{};
        const capstan_cursor item = settings->item(settings, at, i, &key);
        out += std::string(text(key)) + "(" + read_all(settings, item) + ") ";
    }
    if (!out.empty()) out.pop_back();
    return out;
}

struct ReadSettings {
    bool is_accepted = false;
    std::string text;  ///< what a plugin reads, or the error
};

ReadSettings in_host(const Schema& schema, const std::string& toml) {
    const capstan::detail::AbiSchema descriptors(schema);
    const auto fields = read_schema(descriptors.fields());
    if (!fields) return {false, fields.error().message};
    const auto table = parse_toml_value(toml);
    if (!table) return {false, table.error().message};
    Diagnostics diagnostics({"", ""});
    const SettingValue settings = validate_settings(*table, *fields, "", diagnostics);
    if (diagnostics.errors() > 0) return {false, diagnostics.sorted().front().message};
    const SettingsView view(settings, "", nullptr);
    return {true, read_all(view.abi(), CAPSTAN_CURSOR_ROOT)};
}

ReadSettings in_kit(const Schema& schema, const std::string& toml) {
    const auto table = testing::parse_toml_value(toml);
    if (!table) return {false, table.error().message};
    testing::FakeSettings settings(schema);
    settings.set_all(*table->get_if<testing::Value::Table>());
    try {
        return {true, read_all(settings.raw(), CAPSTAN_CURSOR_ROOT)};
    } catch (const std::invalid_argument& e) {
        return {false, e.what()};
    }
}

struct Case {
    Schema schema;
    const char* toml;
    bool is_accepted;
};

void expect_same(const std::vector<Case>& cases) {
    for (const Case& each : cases) {
        const ReadSettings host = in_host(each.schema, each.toml),
                           kit = in_kit(each.schema, each.toml);
        const std::string key =
            each.schema.empty() ? "" : std::string(each.schema.front().key) + " in ";
        EXPECT_EQ(host.is_accepted, each.is_accepted) << key << each.toml << ": " << host.text;
        EXPECT_EQ(kit.is_accepted, each.is_accepted) << key << each.toml << ": " << kit.text;
        if (host.is_accepted && kit.is_accepted) {
            EXPECT_EQ(host.text, kit.text) << key << each.toml;
        }
    }
}

Setting table(std::string_view key, Schema fields) {
    return {.key = key, .type = SettingType::table, .fields = std::move(fields)};
}
Setting list_of(Setting setting) {
    setting.list = true;
    return setting;
}
Setting map_of(Setting setting) {
    setting.map = true;
    return setting;
}
Setting of_type(SettingType type) { return {.key = "x", .type = type}; }

const Setting times{.key = "times", .type = SettingType::integer, .default_value = "3"};
const Setting pause{.key = "pause", .type = SettingType::duration, .default_value = "\"5s\""};
const Setting plain{.key = "plain"};
const Setting needed{.key = "needed", .required = true};

TEST(HostAndTestingKit, AbsentTablesAreFilledEqually) {
    const Setting retry = table("retry", {times, pause, plain});
    const Setting two_deep = table("outer", {table("middle", {table("retry", {times})})});
    const Setting with_needed = table("auth", {times, needed});
    Setting with_default = table("tuned", {times});
    with_default.default_value = "{ times = 9 }";
    Setting required_table = retry;
    required_table.required = true;
    expect_same({
        {{retry}, "{}", true},
        {{retry}, "{ retry = {} }", true},
        {{retry}, "{ retry = { times = 7 } }", true},
        {{retry}, "{ retry = { plain = 'a' } }", true},
        {{two_deep}, "{}", true},
        {{two_deep}, "{ outer = {} }", true},
        {{with_needed}, "{}", true},
        {{with_needed}, "{ auth = {} }", false},
        {{with_needed}, "{ auth = { needed = 'a' } }", true},
        {{table("outer", {times, with_needed})}, "{}", true},
        {{table("outer", {with_needed})}, "{}", true},
        {{table("empty", {plain})}, "{}", true},
        {{with_default}, "{}", true},
        {{with_default}, "{ tuned = {} }", true},
        {{required_table}, "{}", false},
        {{required_table}, "{ retry = {} }", true},
        {{list_of(retry)}, "{}", true},
        {{list_of(retry)}, "{ retry = [{}, { times = 7 }] }", true},
        {{list_of(table("groups", {plain, retry}))}, "{ groups = [{}, { plain = 'a' }] }", true},
        {{list_of(table("groups", {needed}))}, "{ groups = [{}] }", false},
        {{map_of(retry)}, "{}", true},
        {{map_of(table("zones", {plain, retry}))},
         "{ zones = { a = {}, b = { plain = 'a' } } }",
         true},
        {{map_of(table("zones", {needed}))}, "{ zones = { a = {} } }", false},
    });
}

TEST(HostAndTestingKit, AbsentTablesAreFilledUnlessAMemberIsRequired) {
    const auto read = [](Setting setting) { return in_host({std::move(setting)}, "{}").text; };
    EXPECT_EQ(read(table("retry", {times, plain})), "retry(times(integer 3 number 3.0))");
    EXPECT_EQ(read(table("a", {table("b", {times})})), "a(b(times(integer 3 number 3.0)))");
    EXPECT_EQ(read(table("retry", {times, needed})), "");
    EXPECT_EQ(read(table("a", {times, table("b", {times, needed})})),
              "a(times(integer 3 number 3.0))");
    EXPECT_EQ(read(table("a", {plain})), "");
    EXPECT_EQ(read(list_of(table("a", {times}))), "");
    EXPECT_EQ(read(map_of(table("a", {times}))), "");
}

TEST(HostAndTestingKit, ValuesAreReadEqually) {
    const Setting share{.key = "x", .type = SettingType::number, .min = 0, .max = 1};
    const Setting count{.key = "x", .type = SettingType::integer, .min = 1, .max = 5};
    const Setting wait{.key = "x", .type = SettingType::duration, .min = 1s, .max = 1h};
    const Setting room{.key = "x", .type = SettingType::quantity, .min = 1, .max = 1024};
    const Setting big{.key = "x", .type = SettingType::integer, .max = 9007199254740992.0};
    const Setting mode{.key = "x", .type = SettingType::enumeration, .allowed = {"skip", "fail"}};
    const Setting number = of_type(SettingType::number), integer = of_type(SettingType::integer);
    const Setting boolean = of_type(SettingType::boolean), string = of_type(SettingType::string);
    const Setting instance = of_type(SettingType::instance);
    expect_same({
        {{count}, "{ x = 1 }", true},
        {{count}, "{ x = 5 }", true},
        {{count}, "{ x = 0 }", false},
        {{count}, "{ x = 6 }", false},
        {{count}, "{ x = 2.0 }", false},
        {{count}, "{ x = '2' }", false},
        {{big}, "{ x = 9007199254740992 }", true},
        {{big}, "{ x = 9007199254740993 }", false},
        {{integer}, "{ x = -9223372036854775808 }", true},
        {{integer}, "{ x = 9223372036854775808 }", false},
        {{share}, "{ x = 0 }", true},
        {{share}, "{ x = 1.0 }", true},
        {{share}, "{ x = 1.0000001 }", false},
        {{share}, "{ x = -0.1 }", false},
        {{number}, "{ x = 7 }", true},
        {{number}, "{ x = inf }", false},
        {{number}, "{ x = nan }", false},
        {{number}, "{ x = true }", false},
        {{boolean}, "{ x = true }", true},
        {{boolean}, "{ x = 1 }", false},
        {{string}, "{ x = '' }", true},
        {{string}, "{ x = 1 }", false},
        {{string}, "{ x = {} }", false},
        {{string}, "{ x = ['a'] }", false},
        {{mode}, "{ x = 'skip' }", true},
        {{mode}, "{ x = 'Skip' }", false},
        {{mode}, "{ x = 1 }", false},
        {{wait}, "{ x = '1s' }", true},
        {{wait}, "{ x = '1h' }", true},
        {{wait}, "{ x = '0s' }", false},
        {{wait}, "{ x = '1h1ns' }", false},
        {{wait}, "{ x = '10' }", false},
        {{wait}, "{ x = 10 }", false},
        {{wait}, "{ x = '1m30s' }", true},
        {{room}, "{ x = '1Ki' }", true},
        {{room}, "{ x = 1024 }", true},
        {{room}, "{ x = '500m' }", true},
        {{room}, "{ x = '0' }", false},
        {{room}, "{ x = 1025 }", false},
        {{room}, "{ x = 1.5 }", false},
        {{room}, "{ x = '1KiB' }", false},
        {{instance}, "{ x = 'aws' }", true},
        {{instance}, "{ x = {} }", false},
        {{list_of(count)}, "{ x = [1, 5] }", true},
        {{list_of(count)}, "{ x = [1, 6] }", false},
        {{list_of(count)}, "{ x = 1 }", false},
        {{map_of(count)}, "{ x = { a = 1, \"k8s.io/b\" = 5 } }", true},
        {{map_of(count)}, "{ x = [1] }", false},
        {{map_of(list_of(count))}, "{ x = { a = [1, 2] } }", true},
        {{map_of(list_of(count))}, "{ x = { a = 1 } }", false},
        {{needed}, "{}", false},
        {{plain}, "{ plian = 'a' }", false},
        {{table("t", {plain})}, "{ t = { other = 1 } }", false},
        {{}, "{}", true},
    });
}

TEST(HostAndTestingKit, UrlsSecretsAndRegularExpressionsAreReadEqually) {
    const Setting url = of_type(SettingType::url), secret = of_type(SettingType::secret);
    const Setting regex = of_type(SettingType::regex);
    const std::string longest = "{ x = '" + std::string(1024, 'a') + "' }";
    const std::string too_long = "{ x = '" + std::string(1025, 'a') + "' }";
    expect_same({
        {{url}, "{ x = 'https://a.example' }", true},
        {{url}, "{ x = 'HTTP://a.example:8080/v1/%20b?c=d&e=[#f' }", false},
        {{url}, "{ x = 'HTTP://a.example:8080/v1/%20b?c=d&e=/?:@#f' }", true},
        {{url}, "{ x = 'http://[fd00:ec2::254]:80' }", true},
        {{url}, "{ x = 'http://[fd00:ec2::254' }", false},
        {{url}, "{ x = 'http://127.0.0.1:/' }", true},
        {{url}, "{ x = 'http://a.example:http' }", false},
        {{url}, "{ x = 'http://a:1:2' }", false},
        {{url}, "{ x = 'http://' }", false},
        {{url}, "{ x = 'http://:80/' }", false},
        {{url}, "{ x = 'http:/a.example' }", false},
        {{url}, "{ x = 'http://a example' }", false},
        {{url}, "{ x = 'http://a.example/%2' }", false},
        {{url}, "{ x = 'http://a.example/é' }", false},
        {{url}, "{ x = 'a.example' }", false},
        {{url}, "{ x = '' }", false},
        {{url}, "{ x = 'file:///etc/passwd' }", false},
        {{url}, "{ x = 'https://admin:hunter2@a.example/' }", false},
        {{url}, "{ x = 'https://a.example/@b' }", true},
        {{url}, "{ x = 1 }", false},
        {{secret}, "{ x = { secret = 'acme-token' } }", true},
        {{secret}, "{ x = 'hunter2' }", false},
        {{secret}, "{ x = { secret = '../../etc/shadow' } }", false},
        {{secret}, "{ x = { secret = 'a', value = 'hunter2' } }", false},
        {{secret}, "{ x = {} }", false},
        {{list_of(secret)}, "{ x = [{ secret = 'a' }, { secret = 'b' }] }", true},
        {{map_of(secret)}, "{ x = { secret = { secret = 'a' } } }", true},
        {{regex}, "{ x = '^spot-.*' }", true},
        {{regex}, "{ x = '(' }", false},
        {{regex}, longest.c_str(), true},
        {{regex}, too_long.c_str(), false},
    });
}

/// A setting with this default.
Setting by_default(SettingType type, std::string_view toml) {
    return {.key = "x", .type = type, .default_value = toml};
}

TEST(HostAndTestingKit, DefaultsAreReadEqually) {
    const auto number = [](std::string_view toml) { return by_default(SettingType::number, toml); };
    const auto map = [](std::string_view toml) {
        return map_of(by_default(SettingType::integer, toml));
    };
    expect_same({
        {{number("0.5")}, "{}", true},
        {{number("1_000")}, "{}", true},
        {{number("+1e-3")}, "{}", true},
        {{number("007")}, "{}", false},
        {{number("00.5")}, "{}", false},
        {{number(".5")}, "{}", false},
        {{number("5.")}, "{}", false},
        {{number("1__0")}, "{}", false},
        {{number("_1")}, "{}", false},
        {{number("+-1")}, "{}", false},
        {{number("1e")}, "{}", false},
        {{number("99999999999999999999")}, "{}", false},
        {{number("infinity")}, "{}", false},
        {{number("'1'")}, "{}", false},
        {{map("{ a = 1, b = 2 }")}, "{}", true},
        {{map("{ a = 1, a = 2 }")}, "{}", false},
        {{map("{ a = 1, }")}, "{}", false},
        {{map("{ a = 1,\n b = 2 }")}, "{}", false},
        {{list_of(by_default(SettingType::integer, "[1, 2,\n 3,]"))}, "{}", true},
        {{by_default(SettingType::string, "'a\nb'")}, "{}", false},
        {{by_default(SettingType::string, "\"a\x01\"")}, "{}", false},
        {{by_default(SettingType::string, "'\xff'")}, "{}", false},
        {{by_default(SettingType::string, "\"a\\tb\"")}, "{}", true},
    });
}

TEST(HostAndTestingKit, ErrorsHaveEqualMessages) {
    const Setting count{.key = "x", .type = SettingType::integer, .min = 1, .max = 5};
    const Setting wait{.key = "x", .type = SettingType::duration, .min = 1s};
    for (const auto& [setting, toml, message] :
         std::vector<std::tuple<Setting, std::string, std::string>>{
             {count, "{ x = 6 }", "expected integer 1..5, found integer 6"},
             {wait, "{ x = 10 }",
              "expected duration such as \"90s\" or \"1h30m\" of at least 1s, found integer 10"},
             {of_type(SettingType::boolean), "{ x = 'yes' }",
              "expected boolean, found string \"yes\""},
             {of_type(SettingType::url), "{ x = {} }",
              "expected a URL such as \"https://example.com/path\", found a table"},
             {of_type(SettingType::secret), "{ x = 'hunter2' }",
              "expected a secret such as { secret = \"name\" }; the value itself does not belong "
              "in this file"}}) {
        EXPECT_EQ(in_host({setting}, toml).text, "x: " + message);
        EXPECT_EQ(in_kit({setting}, toml).text, "setting x: " + message);
    }
}

}  // namespace
}  // namespace capstan::config
