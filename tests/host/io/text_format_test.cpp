#include "io/text_format.hpp"

#include <gtest/gtest.h>

namespace capstan::io {
namespace {

TEST(TextFormat, IsRecognizedByTheFirstLine) {
    const struct {
        const char *text, *format;
    } cases[] = {
        {"", ""},
        {"\n  \n", ""},
        {"{\"kind\": \"List\"}", "JSON"},
        {"\n\t{\n", "JSON"},
        {"# comment\n[cluster]\nname = 1", "TOML"},
        {"[[group]]", "TOML"},
        {"title = \"a: b\"", "TOML"},
        {"[", ""},
        {"apiVersion: v1", "YAML"},
        {"# comment\n---\nkind: List", "YAML"},
        {"cluster:\n  name: x", "YAML"},
        {"- a", "YAML"},
        {"http://localhost", ""},
        {"NAME    READY   STATUS\nweb-1   1/1     Running", "a table of kubectl"},
        {"NAMESPACE   NAME    READY", "a table of kubectl"},
        {"NAME = 1", "TOML"},
        {"<!DOCTYPE html><html>", "HTML"},
        {"<html>", "HTML"},
        {"No resources found in default namespace.", ""},
    };
    for (const auto& each : cases) EXPECT_EQ(recognize_format(each.text), each.format) << each.text;
}

TEST(TextFormat, KnowsBlankText) {
    EXPECT_TRUE(is_blank(""));
    EXPECT_TRUE(is_blank(" \r\n\t"));
    EXPECT_FALSE(is_blank("\n#"));
}

}  // namespace
}  // namespace capstan::io
