// The rules grammar: what parses to what, and the one line that each mistake gets.
#include "analyzers/rule_file.h"

#include <gtest/gtest.h>

#include <string>

namespace perfgap {
namespace {

RuleFile parsed(const std::string& text) {
  auto file = parse_rule_file("rules.toml", text, true);
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  return file ? *std::move(file) : RuleFile();
}

std::string error_of(const std::string& text) {
  const auto file = parse_rule_file("rules.toml", text, true);
  return file ? "no error" : file.error().message;
}

// The error of a rule whose first key is on line 4.
std::string rule_error(const std::string& keys) {
  return error_of("runtime = 'v8'\n\n[[rule]]\n" + keys);
}

// Every key arrives where it belongs; a string is a list of one.
TEST(RuleFile, ReadsEveryKey) {
  const RuleFile file = parsed(
      "runtime = 'v8'\n"
      "verified = 'node@24.21.0'\n"
      "modules = ['(^|/)node$']\n"
      "applies_when = { function = '^Builtins_', module = ['libv8'] }\n"
      "[[rule]]\n"
      "category = 'kernel.softirq.peer'\n"
      "function = ['^a', 'b$']\n"
      "module = 'libc'\n"
      "file = 'node:'\n"
      "thread = 'V8Worker'\n"
      "kind = ['kernel', 'jit']\n"
      "program = true\n"
      "where = 'leaf'\n"
      "under = '^tcp_sendmsg'\n"
      "covers = true\n"
      "[[rule]]\n"
      "function = '^memcpy$'\n"
      "transparent = true\n");
  EXPECT_EQ(file.runtime, "v8");
  EXPECT_EQ(file.verified, "node@24.21.0");
  EXPECT_EQ(file.modules, std::vector<std::string>{"(^|/)node$"});
  EXPECT_EQ(file.applies_function, std::vector<std::string>{"^Builtins_"});
  EXPECT_EQ(file.applies_module, std::vector<std::string>{"libv8"});
  ASSERT_EQ(file.rules.size(), 2U);
  const ParsedRule& rule = file.rules[0];
  EXPECT_EQ(rule.line, 5U);
  EXPECT_EQ(rule.category, "kernel.softirq.peer");
  EXPECT_EQ(rule.function, (std::vector<std::string>{"^a", "b$"}));
  EXPECT_EQ(rule.module, std::vector<std::string>{"libc"});
  EXPECT_EQ(rule.file, std::vector<std::string>{"node:"});
  EXPECT_EQ(rule.thread, std::vector<std::string>{"V8Worker"});
  EXPECT_EQ(rule.under, std::vector<std::string>{"^tcp_sendmsg"});
  EXPECT_EQ(rule.kinds, 1U << static_cast<unsigned>(FrameKind::kernel) |
                            1U << static_cast<unsigned>(FrameKind::jit));
  EXPECT_TRUE(rule.program);
  EXPECT_EQ(rule.where, RulePosition::leaf);
  EXPECT_TRUE(rule.covers);
  EXPECT_FALSE(rule.transparent);
  EXPECT_FALSE(rule.is_thread_root());
  EXPECT_TRUE(file.rules[1].transparent);
  EXPECT_TRUE(file.rules[1].category.empty());
  EXPECT_EQ(file.rules[1].line, 16U);
}

// A rule with nothing but a thread is about threads, not frames.
TEST(RuleFile, ThreadAloneIsAThreadRule) {
  const RuleFile file = parsed(
      "runtime = 'v8'\n"
      "[[rule]]\ncategory = 'gc.other'\nthread = '^GC'\n"
      "[[rule]]\ncategory = 'gc.minor'\nthread = '^GC'\nfunction = '^scavenge'\n");
  EXPECT_TRUE(file.rules[0].is_thread_root());
  EXPECT_FALSE(file.rules[1].is_thread_root());
}

// A mistyped key names the nearest one, with the line it is on.
TEST(RuleFileErrors, UnknownKey) {
  EXPECT_EQ(rule_error("category = 'gc'\nfunction = 'x'\n\nthred = 'GC'\n"),
            "rules.toml:7: unknown key 'thred'; did you mean 'thread'?");
  EXPECT_EQ(error_of("runtme = 'v8'\n[[rule]]\ncategory='a'\nfunction='b'\n"),
            "rules.toml:1: unknown key 'runtme'; did you mean 'runtime'?");
  EXPECT_EQ(error_of("runtime = 'v8'\n\n[[rules]]\ncategory='a'\nfunction='b'\n"),
            "rules.toml:3: unknown key 'rules'; did you mean 'rule'?");
  EXPECT_EQ(error_of("runtime = 'v8'\napplies_when = { functions = 'x' }\n"
                     "[[rule]]\ncategory='a'\nfunction='b'\n"),
            "rules.toml:2: unknown key 'functions'; did you mean 'function'?");
}

// Words that other tools use for the same thing count as near; what is near nothing gets the whole
// list.
TEST(RuleFileErrors, UnknownKeyOfOtherTools) {
  EXPECT_EQ(rule_error("category = 'gc'\nsymbl = 'x'\n"),
            "rules.toml:5: unknown key 'symbl'; did you mean 'function'?");
  EXPECT_EQ(
      rule_error("category = 'gc'\nfunction = 'x'\nzzzzzz = 1\n"),
      "rules.toml:6: unknown key 'zzzzzz'; known are category, function, module, file, thread, "
      "kind, program, where, under, covers, transparent");
}

// Of several errors the one nearest to the top is told.
TEST(RuleFileErrors, EarliestComesFirst) {
  EXPECT_EQ(rule_error("category = 'GC'\nfunction = '('\nzebra = 1\n"),
            "rules.toml:4: bad category id 'GC'; write lower-case parts joined by dots, as in "
            "gc.minor");
}

// A bad pattern is quoted, with what the pattern engine says, on its own line of a list.
TEST(RuleFileErrors, BadPattern) {
  EXPECT_EQ(rule_error("category = 'gc'\nfunction = [\n  '^ok$',\n  'a(b',\n]\n"),
            "rules.toml:7: bad regular expression 'a(b': missing ): a(b; RE2 syntax is expected");
  EXPECT_EQ(rule_error("category = 'gc'\nfunction = ''\n"),
            "rules.toml:5: empty pattern matches every name; write '.' to mean that");
  EXPECT_EQ(rule_error("category = 'gc'\nfunction = '(?<=a)b'\n").substr(0, 50),
            "rules.toml:5: bad regular expression '(?<=a)b': in");
  EXPECT_EQ(rule_error("category = 'gc'\nfunction = '(" + std::string(1'000'000, 'x') + "'\n"),
            "rules.toml:5: bad regular expression '(" + std::string(59, 'x') +
                "...': missing ): (" + std::string(48, 'x') + "...; RE2 syntax is expected");
}

// Ids are dotted lower-case words.
TEST(RuleFileErrors, BadCategory) {
  for (const std::string id : {"Gc", "gc.", ".gc", "gc..x", "9gc", "gc minor", "g_c", "gc.Minor"}) {
    EXPECT_EQ(rule_error("category = '" + id + "'\nfunction = 'x'\n"),
              "rules.toml:4: bad category id '" + id +
                  "'; write lower-case parts joined by dots, as in gc.minor");
  }
  EXPECT_EQ(rule_error("function = 'x'\n"),
            "rules.toml:3: rule has no category; only a transparent rule may do without");
}

// Values of a wrong type are told by key.
TEST(RuleFileErrors, WrongTypes) {
  EXPECT_EQ(rule_error("category = 3\nfunction = 'x'\n"),
            "rules.toml:4: 'category' must be a string, not empty");
  EXPECT_EQ(rule_error("category = 'a'\nfunction = 3\n"),
            "rules.toml:5: 'function' must be a string or a list of strings");
  EXPECT_EQ(rule_error("category = 'a'\nfunction = []\n"),
            "rules.toml:5: 'function' must be a string or a list of strings");
  EXPECT_EQ(rule_error("category = 'a'\nfunction = ['x', 3]\n"),
            "rules.toml:5: 'function' must be a string or a list of strings");
  EXPECT_EQ(rule_error("category = 'a'\nfunction = 'x'\ncovers = 'yes'\n"),
            "rules.toml:6: 'covers' must be true or false");
  EXPECT_EQ(error_of("runtime = 'v8'\nrule = 3\n"),
            "rules.toml:2: 'rule' must be a list of tables; each one begins with [[rule]]");
  EXPECT_EQ(error_of("runtime = 'v8'\n[rule]\ncategory = 'a'\nfunction = 'x'\n"),
            "rules.toml:2: 'rule' must be a list of tables; each one begins with [[rule]]");
  EXPECT_EQ(error_of("runtime = 'v8'\napplies_when = 'x'\n[[rule]]\ncategory='a'\nfunction='b'\n"),
            "rules.toml:2: 'applies_when' must be a table with 'function' or 'module'");
}

// Kinds and positions are closed lists.
TEST(RuleFileErrors, UnknownWords) {
  EXPECT_EQ(rule_error("category = 'a'\nkind = 'kernl'\n"),
            "rules.toml:5: unknown kind 'kernl'; did you mean 'kernel'?");
  EXPECT_EQ(rule_error("category = 'a'\nfunction = 'x'\nwhere = 'lead'\n"),
            "rules.toml:6: unknown position 'lead'; did you mean 'leaf'?");
}

// Rules that could never mean what they say.
TEST(RuleFileErrors, Contradictions) {
  EXPECT_EQ(rule_error("category = 'a'\nwhere = 'leaf'\nunder = 'x'\n"),
            "rules.toml:3: rule matches nothing in particular; add function, module, file, thread, "
            "kind or program");
  EXPECT_EQ(rule_error("category = 'a'\nthread = 'x'\ncovers = true\n"),
            "rules.toml:6: 'covers' is about frames, but this rule only names threads; drop it or "
            "add function, module or file");
  EXPECT_EQ(rule_error("function = 'x'\ntransparent = true\ncovers = true\n"),
            "rules.toml:6: a transparent rule decides nothing, so it cannot cover; drop one");
}

// A file must say what runtime it is for, unless it is the user's own, and hold at least one rule.
TEST(RuleFileErrors, MissingParts) {
  EXPECT_EQ(error_of("[[rule]]\ncategory='a'\nfunction='b'\n"),
            "rules.toml:1: key 'runtime' is missing; name the runtime that the rules are for");
  EXPECT_TRUE(parse_rule_file("mine.toml", "[[rule]]\ncategory='a'\nfunction='b'\n", false));
  EXPECT_EQ(error_of("runtime = 'v8'\n"), "rules.toml:1: no rules; each one begins with [[rule]]");
}

// Text that is not TOML is told by line, in one line without control characters.
TEST(RuleFileErrors, NotToml) {
  for (const std::string text :
       {"function = = 'x'\n", "[+rule]]\n", "[[rule\n", "\x01\x02\n", "verified = 'a\nb'\n"}) {
    const std::string message = error_of("runtime = 'v8'\n\n" + text);
    EXPECT_TRUE(message.starts_with("rules.toml:3: ")) << message;
    for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << message;
  }
}

// Names beyond ASCII, and signs of per cent, are matched as they are written.
TEST(RuleFile, BeyondAscii) {
  const RuleFile file = parsed(
      "# caf\xc3\xa9\nruntime = 'v8'\n[[rule]]\ncategory = 'app'\n"
      "function = ['^caf\xc3\xa9$', '100%25', 'a%', \"\\u00e9\"]\n");
  EXPECT_EQ(file.rules.at(0).function,
            (std::vector<std::string>{"^caf\xc3\xa9$", "100%25", "a%", "\xc3\xa9"}));
}

// Outside of strings and comments only ASCII may be; bytes that are no text are told first.
TEST(RuleFileErrors, BeyondAscii) {
  EXPECT_EQ(rule_error("category \xc3\xa9 = 'a'\nfunction = 'x'\n"),
            "rules.toml:4: '%' or a character beyond ASCII where none may be; is a quote "
            "typographic or missing?");
  EXPECT_EQ(
      rule_error("category = \xe2\x80\x98gc\xe2\x80\x99\nfunction = 'x'\n"),
      "rules.toml:4: a value that is neither quoted text nor a list; is a quote typographic or "
      "missing?");
  EXPECT_EQ(rule_error("category = 'a'\nfunction = '\xff'\n"),
            "rules.toml:5: bytes that are no UTF-8; save the file as UTF-8");
}

}  // namespace
}  // namespace perfgap
