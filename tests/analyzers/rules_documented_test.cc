// The reference page of categories and the built-in rules name the same ids.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/analyzers/rules_fixture.h"

namespace perfgap {
namespace {

using namespace testing_support;

// Ids of the page's tables: rows that begin "| `id` |".
std::set<std::string> documented_ids() {
  std::set<std::string> ids;
  std::ifstream page(PERFGAP_SOURCE_DIR "/docs/reference/categories.md");
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    ids.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return ids;
}

// Every id that a rule or a fallback can give is documented, and no other.
TEST(BuiltinRules, IdsAreDocumented) {
  std::set<std::string> ids = {"idle", "unattributed", "unsymbolised", "kernel.other"};
  for (std::size_t i = 0; i < built_in().rules().size(); ++i) {
    const CategoryId category = built_in().rules()[i].category;
    if (!category.is_none()) ids.insert(std::string(built_in().name(category)));
  }
  EXPECT_EQ(documented_ids(), ids);
}

}  // namespace
}  // namespace perfgap
