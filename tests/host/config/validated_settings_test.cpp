#include "config/validated_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/text.hpp"

namespace capstan::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct CheckedSettings {
    SettingValue settings;
    std::string errors;
};

CheckedSettings check(const std::string& text, const Fields& fields) {
    Diagnostics d({"t.toml", text});
    const auto root = parse_toml(d);
    if (!root) return {{}, d.text()};
    SettingValue settings = validate_settings(*root, fields, "s", d);
    return {std::move(settings), d.text()};
}

/// The first line of the errors of `key = value`.
std::string error_of(Field field, const std::string& value) {
    field.key = "key";
    const std::string errors = check("key = " + value + "\n", {field}).errors;
    return errors.substr(0, errors.find('\n'));
}

SettingValue value_of(Field field, const std::string& value) {
    field.key = "key";
    const CheckedSettings checked = check("key = " + value + "\n", {field});
    EXPECT_EQ(checked.errors, "");
    return checked.settings.children.empty() ? SettingValue{} : checked.settings.children.front();
}

std::vector<std::string> setting_keys(const SettingValue& table) {
    std::vector<std::string> out;
    for (const SettingValue& member : table.children) out.push_back(member.key);
    return out;
}

TEST(ValidatedSettings, ReportAllMistakesAtOnce) {
    const Fields fields{{.key = "region", .required = true},
                        {.key = "max_calls", .type = SettingType::integer, .min = 1, .max = 1000},
                        {.key = "poll", .type = SettingType::duration}};
    EXPECT_EQ(
        check("regoin = \"eu-central-1\"\nmax_calls = \"many\"\npoll = 10\n", fields).errors,
        "t.toml: s: 'region' is missing: string\n"
        "t.toml:1:1: s: unknown key 'regoin'; did you mean 'region'?\n"
        "    regoin = \"eu-central-1\"\n"
        "    ^^^^^^\n"
        "t.toml:2:13: s.max_calls: expected integer 1..1000, found string \"many\"\n"
        "    max_calls = \"many\"\n"
        "                ^^^^^^\n"
        "t.toml:3:8: s.poll: expected duration such as \"90s\" or \"1h30m\", found integer 10\n"
        "    poll = 10\n"
        "           ^^\n");
}

TEST(ValidatedSettings, AppendDefaultsInTheOrderOfTheSchema) {
    const Fields fields{{.key = "a", .default_toml = "\"x\""},
                        {.key = "b"},
                        {.key = "c"},
                        {.key = "d", .default_toml = "\"y\""},
                        {.key = "m", .map = true}};
    const CheckedSettings checked =
        check("c = \"1\"\nb = \"2\"\n[m]\n\"k8s.io/z\" = \"1\"\ny.z = \"2\"\n", fields);
    EXPECT_EQ(checked.errors,
              "t.toml:5:1: s.m.y: expected string, found a table\n    y.z = \"2\"\n    ^\n");
    EXPECT_THAT(setting_keys(checked.settings), ElementsAre("c", "b", "m", "a", "d"));
    EXPECT_THAT(setting_keys(*checked.settings.find("m")), ElementsAre("k8s.io/z"));
}

TEST(ValidatedSettings, GiveADefaultTheLocationOfItsTable) {
    const Fields inner{{.key = "x", .type = SettingType::integer, .default_toml = "5"}};
    const CheckedSettings checked =
        check("\n[t]\n",
              {{.key = "t", .type = SettingType::table, .fields = inner},
               {.key = "u", .type = SettingType::table, .fields = inner},
               {.key = "v", .type = SettingType::table, .default_toml = "{}", .fields = inner}});
    const SettingValue& x = *checked.settings.find("t")->find("x");
    EXPECT_TRUE(x.defaulted);
    EXPECT_EQ(x.integer, 5);
    EXPECT_EQ(x.place, (Place{2, 1, 3}));
    EXPECT_EQ(checked.settings.find("u"), nullptr);
    EXPECT_TRUE(checked.settings.find("v")->defaulted);
    EXPECT_EQ(checked.settings.find("v")->find("x")->integer, 5);
}

TEST(ValidatedSettings, ReadDurationsExactly) {
    const Field field{.type = SettingType::duration, .min = 0, .max = 3.6e12};
    EXPECT_EQ(value_of(field, "\"1h\"").integer, 3'600'000'000'000);
    EXPECT_EQ(value_of(field, "\"1ns\"").integer, 1);
    EXPECT_EQ(value_of(field, "\"1m30s\"").text, "1m30s");
    EXPECT_EQ(error_of(field, "\"1h1ns\""),
              "t.toml:1:7: s.key: expected duration such as \"90s\" or \"1h30m\" 0s..1h, found "
              "string \"1h1ns\"");
    EXPECT_EQ(error_of(field, "\"10\""),
              "t.toml:1:7: s.key: duration \"10\": missing or unknown unit, expected ns, us, ms, "
              "s, m, h or d");
    EXPECT_EQ(error_of(field, "\"300y\""),
              "t.toml:1:7: s.key: duration \"300y\": missing or unknown unit, expected ns, us, "
              "ms, s, m, h or d");
    EXPECT_EQ(error_of(field, "\"200000d\""),
              "t.toml:1:7: s.key: duration \"200000d\": more than 292 years");
    EXPECT_THAT(error_of(field, "\"-1s\""), HasSubstr("found string \"-1s\""));
    EXPECT_THAT(error_of(field, "07:32:00"), HasSubstr("found date 07:32:00"));
}

TEST(ValidatedSettings, RoundQuantitiesUp) {
    const Field field{.type = SettingType::quantity};
    EXPECT_EQ(value_of(field, "\"32Gi\"").integer, 34'359'738'368);
    EXPECT_EQ(value_of(field, "\"1500m\"").integer, 2);
    EXPECT_EQ(value_of(field, "4").text, "4");
    EXPECT_THAT(error_of(field, "\"32GiB\""), HasSubstr("s.key: quantity \"32GiB\": "));
    EXPECT_THAT(error_of(field, "1.5"),
                HasSubstr("expected quantity such as \"500m\" or \"32Gi\", found number 1.5"));
}

TEST(ValidatedSettings, AcceptAnIntegerAsANumberButNotTheReverse) {
    EXPECT_EQ(value_of({.type = SettingType::number}, "1").number, 1.0);
    EXPECT_EQ(value_of({.type = SettingType::number}, "0.25").number, 0.25);
    EXPECT_EQ(error_of({.type = SettingType::integer}, "1.0"),
              "t.toml:1:7: s.key: expected integer, found number 1");
    EXPECT_THAT(error_of({.type = SettingType::number}, "nan"), HasSubstr("found number nan"));
    EXPECT_THAT(error_of({.type = SettingType::number}, "-inf"), HasSubstr("found number -inf"));
}

TEST(ValidatedSettings, CompareIntegersWithBoundsExactly) {
    const Field field{.type = SettingType::integer, .max = 9007199254740992.0};
    EXPECT_EQ(error_of(field, "9007199254740992"), "");
    EXPECT_NE(error_of(field, "9007199254740993"), "");
}

TEST(ValidatedSettings, SuggestAValueOfAnEnumeration) {
    EXPECT_EQ(
        error_of({.type = SettingType::enumeration, .allowed = {"skip", "fail"}}, "\"skpi\""),
        "t.toml:1:7: s.key: expected one of \"skip\", \"fail\", found string \"skpi\"; did you "
        "mean 'skip'?");
}

TEST(ValidatedSettings, CompileRegularExpressions) {
    const Field field{.type = SettingType::regex};
    EXPECT_EQ(value_of(field, "'^spot-.*'").text, "^spot-.*");
    EXPECT_THAT(error_of(field, "'(spot'"),
                HasSubstr("s.key: \"(spot\" is not a regular expression: "));
    EXPECT_THAT(error_of(field, "'a{99999}{99999}{99999}'"),
                HasSubstr("is not a regular expression"));
    EXPECT_THAT(error_of(field, "'" + std::string(1025, 'a') + "'"),
                HasSubstr("a regular expression of 1025 bytes; at most 1024 are allowed"));
    EXPECT_THAT(error_of(field, "'" + std::string(1024, '(') + "'"),
                HasSubstr("is not a regular expression"));
    EXPECT_EQ(error_of(field, "'" + std::string(512, '(') + std::string(512, ')') + "'"), "");
    EXPECT_EQ(error_of(field, "'" + std::string(1024, '|') + "'"), "");
}

TEST(ValidatedSettings, AcceptOnlyUrlsWithoutCredentials) {
    const Field field{.type = SettingType::url};
    EXPECT_EQ(value_of(field, "\"https://score.acme.example:8443/v1?a=b\"").text,
              "https://score.acme.example:8443/v1?a=b");
    EXPECT_EQ(value_of(field, "\"HTTPS://a.example\"").text, "HTTPS://a.example");
    EXPECT_THAT(error_of(field, "\"score.acme.example\""), HasSubstr("expected a URL such as"));
    EXPECT_THAT(error_of(field, "\"file:///etc/passwd\""), HasSubstr("expected a URL such as"));
    const std::string error = error_of(field, "\"https://admin:hunter2@acme.example/\"");
    EXPECT_EQ(error, "t.toml:1:7: s.key: a URL with a user or password; use a secret for them");
}

TEST(ValidatedSettings, NeverPrintASecretValue) {
    const Field field{.type = SettingType::secret};
    const SettingValue name = value_of(field, "{ secret = \"acme-token\" }");
    EXPECT_EQ(name.text, "acme-token");
    EXPECT_EQ(to_toml(name), "{ secret = \"acme-token\" }");
    EXPECT_EQ(error_of(field, "\"hunter2\""),
              "t.toml:1:7: s.key: expected a secret such as { secret = \"name\" }; the value "
              "itself does not belong in this file");
    EXPECT_THAT(error_of(field, "{ secret = \"a\", value = \"hunter2\" }"),
                HasSubstr("expected a secret"));
    for (const char* path :
         {"\"../../etc/shadow\"", "\"..\"", "\".\"", "\"\"", "\"a/b\"", "\"..data\""}) {
        EXPECT_THAT(error_of(field, std::string("{ secret = ") + path + " }"),
                    HasSubstr("the name of a secret consists of"));
    }
}

TEST(ValidatedSettings, MaskPossibleSecrets) {
    const Fields fields{{.key = "token", .type = SettingType::secret},
                        {.key = "url", .type = SettingType::url},
                        {.key = "n", .type = SettingType::integer}};
    const std::string errors =
        check("token = \"hunter2\"\nt = { }\nurl = 'ftp://a:hunter2@b'\n", fields).errors;
    EXPECT_THAT(errors, HasSubstr("    token = *********\n            ^^^^^^^^^\n"));
    EXPECT_THAT(errors, HasSubstr("    url = *******************\n"));
    EXPECT_THAT(errors, ::testing::Not(HasSubstr("hunter2")));
    const Field settings{.type = SettingType::table, .fields = fields};
    const CheckedSettings inline_table =
        check("key = { n = 1.5, token = { secret = \"a\", value = \"hunter2\" } }\n",
              {{.key = "key", .type = SettingType::table, .fields = fields}});
    EXPECT_THAT(inline_table.errors, ::testing::Not(HasSubstr("hunter2")));
    EXPECT_THAT(error_of(settings, "{ token = \"\"\"hun\nter2\"\"\" }"),
                ::testing::Not(HasSubstr("hun")));
}

TEST(ValidatedSettings, NameTheListItemAndMapKey) {
    EXPECT_THAT(error_of({.type = SettingType::integer, .list = true}, "[1, 2, \"x\"]"),
                HasSubstr("t.toml:1:14: s.key[2]: expected integer, found string \"x\""));
    EXPECT_THAT(error_of({.type = SettingType::integer, .list = true}, "3"),
                HasSubstr("expected list of integer, found integer 3"));
    EXPECT_THAT(error_of({.type = SettingType::boolean, .map = true}, "{ \"k8s.io/a\" = 1 }"),
                HasSubstr("s.key.\"k8s.io/a\": expected boolean, found integer 1"));
    EXPECT_THAT(
        error_of({.type = SettingType::regex, .list = true, .map = true}, "{ 10 = ['a', '('] }"),
        HasSubstr("s.key.10[1]: \"(\" is not a regular expression"));
    EXPECT_EQ(value_of({.type = SettingType::regex, .list = true, .map = true}, "{ 10 = ['a'] }")
                  .children.at(0)
                  .children.at(0)
                  .text,
              "a");
}

TEST(ValidatedSettings, ExpandTheShorthandOfATable) {
    const Field stage{.type = SettingType::table,
                      .list = true,
                      .fields = {{.key = "use", .required = true},
                                 {.key = "n", .type = SettingType::integer, .default_toml = "1"}},
                      .shorthand = "use"};
    const SettingValue stages = value_of(stage, "[\"a\", { use = \"b\", n = 2 }]");
    EXPECT_EQ(stages.children.at(0).find("use")->text, "a");
    EXPECT_EQ(stages.children.at(0).find("n")->integer, 1);
    EXPECT_EQ(stages.children.at(1).find("n")->integer, 2);
    EXPECT_EQ(to_toml(stages), "[\"a\", { use = \"b\", n = 2 }]");
    EXPECT_THAT(error_of(stage, "[3]"),
                HasSubstr("s.key[0]: expected table or string (its 'use'), found integer 3"));
}

TEST(ValidatedSettings, AcceptDeprecatedKeysWithAWarning) {
    const CheckedSettings checked =
        check("old = \"v\"\n",
              {{.key = "old", .deprecated = true, .replaced_by = "new"}, {.key = "new"}});
    EXPECT_EQ(checked.errors,
              "t.toml:1:1: warning: s.old is deprecated; use 'new'\n    old = \"v\"\n    ^^^\n");
    EXPECT_EQ(checked.settings.find("old")->text, "v");
}

TEST(ValidatedSettings, SurviveThousandsOfMistakes) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "unknown_key_" + std::to_string(i) + " = 1\n";
    EXPECT_TRUE(check(text, {{.key = "unknown"}}).errors.ends_with("... and 19900 more\n"));
}

}  // namespace
}  // namespace capstan::config
