#include "symbolizer/demangle.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <sstream>

#include "tests/symbolizer/support.h"

namespace perfgap {
namespace {

struct Case {
  const char* symbol;
  const char* name;
};

// C++: parameters and return types go, template arguments and scopes stay.
TEST(Demangle, Cpp) {
  const Case cases[] = {
      {"_ZN2v88internal4Heap8ScavengeEv", "v8::internal::Heap::Scavenge"},
      {"_ZNK3foo3barEi", "foo::bar"},
      {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"},
      {"_ZN3fooIiE3barIcEEvT_", "foo<int>::bar<char>"},
      {"_ZN3fooISt6vectorIiSaIiEEE3barEv", "foo<std::vector<int, std::allocator<int> > >::bar"},
      {"_ZN3fooC1Ev", "foo::foo"},
      {"_ZN3fooIiED0Ev", "foo<int>::~foo"},
      {"_ZN3fooclEv", "foo::operator()"},
      {"_ZN3foolsEi", "foo::operator<<"},
      {"_ZltIiEbT_S0_", "operator< <int>"},
      {"_ZN3foocvbEv", "foo::operator bool"},
      {"_ZNK3foocvT_IiEEv", "foo::operator int<int>"},
      {"_ZnwmSt11align_val_t", "operator new"},
      {"_ZdaPv", "operator delete[]"},
      {"_ZZN3foo3barEiENKUlvE_clEv", "foo::bar::{lambda()#1}::operator()"},
      {"_ZZ4mainENKUliPKcE0_clEiS0_", "main::{lambda(int, char const*)#2}::operator()"},
      {"_ZN3fooB5cxx113barEv", "foo[abi:cxx11]::bar"},
      {"_ZTV3foo", "vtable for foo"},
      {"_ZThn16_N3foo3barEv", "non-virtual thunk to foo::bar"},
      {"_ZGVZN3foo3barEiE1x", "guard variable for foo::bar::x"},
      {"_ZSt4moveIRSsEONSt16remove_referenceIT_E4typeEOS2_", "std::move<std::string&>"},
      {"_ZNSsC1EPKcRKSaIcE",
       "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
      {"_Z3runIPFviEEvT_", "run<void (*)(int)>"},
      {"_Z3runIM3fooKFivEEvT_", "run<int (foo::*)() const>"},
      {"_Z3runIA5_KcEvRT_", "run<char const [5]>"},
      {"_Z3runILi3ELb1ELm7EEvv", "run<3, true, 7ul>"},
      {"_Z3runIJidcEEvDpT_", "run<int, double, char>"},
      {"_Z3runIJEEvDpT_", "run<>"},
      {"_ZN4node10StreamBase8JSMethodIXadL_ZNS0_8ShutdownERKiEEEEvS2_",
       "node::StreamBase::JSMethod<&node::StreamBase::Shutdown>"},
      {"_Z4pairI1PIiiEEvT_", "pair<P<int, int> >"},
  };
  for (const Case& expected : cases) EXPECT_EQ(readable_name(expected.symbol), expected.name);
}

// Rust, both schemes: the hash goes, escapes are undone.
TEST(Demangle, Rust) {
  const Case cases[] = {
      {"_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE",
       "core::ptr::drop_in_place<alloc::string::String>"},
      {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
       "17h930b740aa94f1d3aE",
       "<Test + 'static as foo::Bar<Test>>::bar"},
      {"_ZN13perry_runtime5value28_$u7b$$u7b$closure$u7d$$u7d$17haaaaaaaaaaaaaaaaE.llvm.123",
       "perry_runtime::value::{{closure}}"},
      {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
      {"_RINvCsjMaewn57Afh_1t5applyNCNCNvB2_4main00EB2_",
       "t::apply::<t::main::{closure#0}::{closure#0}>"},
      {"_RNvMs_CsjMaewn57Afh_1tINtB4_2SqhE3getCsX_1t", "<t::Sq<u8>>::get"},
      {"_RNvXs_CsjMaewn57Afh_1tNtB4_6CircleNtB4_5Shape4area", "<t::Circle as t::Shape>::area"},
      {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
      {"_RINvC1a1fRDG_FG_RL1_hEuNtB2_1TEL_Kj4_Kb1_Kln5_E", ""},
      {"_RINvC1a1fAhj4_TmTxEEPeQL_cFUKCjEuE",
       "a::f::<[u8; 4], (u32, (i64,)), *const str, &mut char, unsafe extern \"C\" fn(usize)>"},
      {"_RINvC1a1fKj4_Kb1_Kln5_Kc78_E", "a::f::<4, true, -5, 'x'>"},
      {"_RINvC1a1fDNtB2_1TpI4ItemhEL_E", ""},
      {"_RINvC1a1fDNtB2_1Tp4ItemhEL_E", "a::f::<dyn a::T<Item = u8>>"},
  };
  for (const Case& expected : cases) {
    const std::string name = *expected.name == 0 ? expected.symbol : expected.name;
    EXPECT_EQ(readable_name(expected.symbol), name) << expected.symbol;
  }
}

// What compilers and libraries append to names says nothing to readers.
TEST(Demangle, SuffixesAndMarksGo) {
  const Case cases[] = {
      {"parse.cold", "parse"},
      {"parse.constprop.0", "parse"},
      {"parse.isra.0.cold", "parse"},
      {"parse.part.12", "parse"},
      {"parse.llvm.1234567890", "parse"},
      {"_ZN3foo3barEv.part.0.cold", "foo::bar"},
      {"__GI___libc_write", "__libc_write"},
      {"pthread_cond_signal@@GLIBC_2.3.2", "pthread_cond_signal"},
      {"write@plt", "write@plt"},
      {".cold", ".cold"},
      {"net/http.(*conn).serve", "net/http.(*conn).serve"},
      {"main.main.func1", "main.main.func1"},
      {"a.b.1", "a.b.1"},
      {"@odd", "@odd"},
      {"", ""},
  };
  for (const Case& expected : cases) EXPECT_EQ(readable_name(expected.symbol), expected.name);
}

// What does not demangle stays as it is.
TEST(Demangle, OtherNamesStay) {
  for (const char* symbol : {"_Z", "_ZN", "_ZN3fo", "_ZZZZ", "_R", "_Rx", "_ZN3foo17hxyE", "main",
                             "_ZN99999999999999999999999foo", "_ZNS_E", "_ZT_"})
    EXPECT_EQ(readable_name(symbol), symbol);
}

// The C++ names of the standard library agree with c++filt, where it leaves out parameters too and
// spells nothing at length that we abbreviate.
TEST(Demangle, AgreesWithCxxfiltOnTheStandardLibrary) {
  const std::string list =
      "nm -D --defined-only --without-symbol-versions"
      " /usr/lib/x86_64-linux-gnu/libstdc++.so.6 | sed -n 's/.* [TW] \\(_Z.*\\)/\\1/p'";
  std::istringstream symbols(test::run(list));
  std::istringstream names(test::run(list + " | c++filt -p"));
  std::size_t compared = 0;
  for (std::string symbol, name; std::getline(symbols, symbol) && std::getline(names, name);) {
    const bool abbreviated =
        symbol.find_first_of("T") == 2 || symbol.find("Ss") != std::string::npos ||
        symbol.find("Si") != std::string::npos || symbol.find("So") != std::string::npos ||
        symbol.find("Sd") != std::string::npos;
    if (abbreviated || name.find('(') != std::string::npos) continue;
    EXPECT_EQ(readable_name(symbol), name) << symbol;
    compared++;
  }
  EXPECT_GT(compared, 2000U);
}

// A few hundred bytes that stand for 2^100 bytes of text are given up on at once.
TEST(Demangle, ExplodingNamesAreBounded) {
  std::string cpp = "_Z1f1PIiiE";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 1; i < 100; i++) {
    std::string id = "S";
    if (const std::size_t n = i - 1; n >= 36) id += digits[n / 36];
    id += digits[(i - 1) % 36];
    cpp += "S_I" + id + "_" + id + "_E";
  }
  std::string rust = "_RINvC1a1f";
  for (int i = 0; i < 100; i++) rust += "TBa_Ba_E";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_LE(readable_name(cpp).size(), kMaxNameBytes);
  EXPECT_LE(readable_name(rust + "E").size(), kMaxNameBytes);
  EXPECT_LE(readable_name("_Z" + std::string(16000, 'P')).size(), kMaxNameBytes);
  EXPECT_LE(readable_name("_RNv" + std::string(16000, 'N')).size(), kMaxNameBytes);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// A long name is cut, visibly.
TEST(Demangle, LongNamesAreCut) {
  const std::string name = readable_name(std::string(10'000, 'x'));
  EXPECT_EQ(name.size(), kMaxNameBytes);
  EXPECT_TRUE(name.ends_with("x..."));
}

// Whatever the bytes, there is a bounded answer.
TEST(Demangle, RandomNamesAreHarmless) {
  std::mt19937 random(11);
  constexpr std::string_view kLetters = "_ZNSITREKPLXJCDUlt0123456789abcdmvwsE$.";
  for (int round = 0; round < 20'000; round++) {
    std::string symbol = round % 3 == 0 ? "_R" : "_Z";
    for (std::size_t i = random() % 60; i > 0; i--) symbol += kLetters[random() % kLetters.size()];
    EXPECT_LE(readable_name(symbol).size(), kMaxNameBytes);
  }
}

}  // namespace
}  // namespace perfgap
