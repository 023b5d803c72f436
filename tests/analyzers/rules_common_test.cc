// Rules for what any program may contain: allocators, the C library, locks, codecs, libuv, Rust
// crates. Names are those of glibc 2.36, node 24.21.0, redis 7.0 and Perry 0.5.1182 binaries.
#include <gtest/gtest.h>

#include "tests/analyzers/rules_fixture.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

constexpr std::string_view kLibc = "/usr/lib/x86_64-linux-gnu/libc.so.6";

constexpr Claim own(std::string_view category, std::string_view function) {
  return in(kProgram, category, function);
}

constexpr Claim kAllocators[] = {
    in(kLibc, "alloc.native", "malloc"),
    in(kLibc, "alloc.native", "cfree"),
    in(kLibc, "alloc.native", "__libc_calloc"),
    in(kLibc, "alloc.native", "_int_malloc"),
    in(kLibc, "alloc.native", "_int_free"),
    in(kLibc, "alloc.native", "malloc_consolidate"),
    in(kLibc, "alloc.native", "unlink_chunk"),
    in(kLibc, "alloc.native", "sysmalloc"),
    own("alloc.native", "operator new"),
    own("alloc.native", "operator delete[]"),
    own("alloc.native", "arena_malloc_hard"),
    own("alloc.native", "tcache_bin_flush_small"),
    own("alloc.native", "je_malloc"),
    own("alloc.native", "_rjem_sdallocx"),
    own("alloc.native", "mallocx"),
    in("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "alloc.native", "edata_avail_insert"),
    own("alloc.native", "_mi_page_malloc_zero"),
    own("alloc.native", "mi_free"),
    own("alloc.native", "tcmalloc::ThreadCache::FetchFromCentralCache"),
    own("alloc.native", "__rustc::__rust_dealloc"),
    own("alloc.native", "__rdl_alloc"),
    own("app.user", "arena_allocator_of_mine"),
};

// An allocator's functions by name or by library, its helpers with it.
TEST(AllocatorRules, Claims) {
  expect_table("alloc.toml", own({}, "main"), kAllocators);
  EXPECT_EQ(spent_in(folded_profile("main;malloc;?libc.so.6+0x10;libc.so.6!memcpy 1")),
            "alloc.native");
}

constexpr Claim kCommon[] = {
    in(kLibc, "mem.copy", "__memmove_avx512_unaligned_erms"),
    in(kLibc, "mem.copy", "__memset_avx512_unaligned_erms"),
    in(kLibc, "mem.copy", "__memcmp_evex_movbe"),
    own("mem.copy", "memcpy"),
    own("mem.copy", "compiler_builtins::mem::memcpy"),
    in("[vdso]", "sys.time", "__vdso_clock_gettime"),
    in("[vdso]", "sys.time", "__vdso_gettimeofday"),
    in("[vdso]", "sys.time", "do_hres"),
    in(kLibc, "sys.time", "clock_gettime"),
    in(kLibc, "sys.time", "clock_nanosleep"),
    in(kLibc, "sys.net", "__send"),
    in(kLibc, "sys.net", "__libc_recv"),
    in(kLibc, "sys.net", "accept4"),
    in(kLibc, "sys.epoll", "epoll_wait"),
    in(kLibc, "sys.epoll", "epoll_pwait"),
    in(kLibc, "sys.epoll", "__poll"),
    in(kLibc, "sys.file", "__open64"),
    in(kLibc, "sys.file", "__close_nocancel"),
    in(kLibc, "sys.mem", "__munmap"),
    in(kLibc, "sys.mem", "__madvise"),
    in(kLibc, "sys.other", "__GI___libc_write"),
    in(kLibc, "sys.other", "read"),
    in(kLibc, "sys.other", "__GI___writev"),
    in(kLibc, "sys.other", "syscall"),
    in(kLibc, "sys.other", "pthread_sigmask"),
    in(kLibc, "sys.other", "__GI___pthread_disable_asynccancel"),
    in(kLibc, "lock", "pthread_mutex_lock"),
    in(kLibc, "lock", "pthread_cond_signal"),
    in(kLibc, "lock", "__GI___lll_lock_wake"),
    in(kLibc, "lock", "__futex_abstimed_wait_common"),
    in(kLibc, "lock", "sem_post"),
    own("lock", "absl::Mutex::Lock"),
    own("lock", "std::condition_variable::wait"),
    own("compress", "deflate_fast"),
    own("compress", "Cr_z_inflate_fast_chunk_"),
    own("compress", "BrotliDecoderDecompressStream"),
    own("compress", "ProcessCommands"),
    own("compress", "ZSTD_compressBlock_fast"),
    in("/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "compress", "slide"),
    in("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "crypto", "inner_helper"),
    own("crypto", "EVP_DigestUpdate"),
    own("crypto", "sha256_block_data_order"),
    own("crypto", "aesni_ctr32_encrypt_blocks"),
    own("crypto", "rustls::conn::ConnectionCommon<Data>::process_new_packets"),
    own("ser.json", "simdjson::icelake::ondemand::parser::iterate"),
    own("ser.json", "serde_json::read::SliceRead::parse_str"),
    in("/usr/lib/x86_64-linux-gnu/libpcre2-8.so.0.11.2", "regex", "internal_match"),
    own("regex", "pcre2_match_8"),
    own("regex", "<regex_automata::meta::strategy::Pre<P> as Strategy>::search"),
    own(kTransparent, "std::vector<int, std::allocator<int> >::push_back"),
    own(kTransparent, "core::hash::BuildHasher::hash_one"),
    own(kTransparent, "hashbrown::map::HashMap<K,V,S,A>::insert"),
    own(kTransparent, "<dashmap::iter::Iter<K,V,S,M> as core::iter::Iterator>::next"),
    own(kTransparent, "<T as core::any::Any>::type_id"),
    own(kTransparent, "strlen"),
    in(kLibc, kTransparent, "_IO_default_xsputn"),
    in(kLibc, kTransparent, "_nl_locale_helper"),
    in("/lib64/ld-linux-x86-64.so.2", kTransparent, "do_lookup_x"),
    own(kTransparent, "_start"),
    own("app.user", "main"),
    own("app.user", "myapp::handler"),
    own("app.user", "<myapp::Point as core::fmt::Display>::fmt"),
    in("/srv/lib/libplugin.so", kUnclaimed, "plugin_main"),
};

// Helpers, locks and libraries by name or by module; the program's own code is what remains.
TEST(CommonRules, Claims) {
  expect_table("common.toml", own({}, "main"), kCommon);
}

// A kernel function called like a user one stays the kernel's.
TEST(CommonRules, NotInTheKernel) {
  EXPECT_EQ(spent_in(folded_profile("main;kfree_helper_[k];crc32_le_[k] 1")), "kernel.other");
  EXPECT_EQ(spent_in(folded_profile("main;ksys_read_[k];strlen_[k] 1")), "sys.file");
}

// What a stripped C library does not name is its caller's.
TEST(CommonRules, UnnamedLibraryCode) {
  EXPECT_EQ(spent_in(folded_profile("pthread_mutex_lock;?/lib/libc.so.6+0x10 1")), "lock");
  EXPECT_EQ(spent_in(folded_profile("?/srv/lib/libplugin.so+0x10;?/lib/libc.so.6+0x10 1")),
            "unsymbolised");
}

constexpr Claim kLibuv[] = {
    own("loop", "uv_run"),
    own("loop", "uv__io_poll"),
    own("loop", "uv__stream_io"),
    own("loop", "uv_try_write"),
    own("loop", "uv__run_timers"),
    own("lock", "uv_mutex_lock"),
    own("lock", "uv_cond_signal"),
    own("http.parse", "llhttp__internal__run"),
    own("http.parse", "llparse__match_sequence_id"),
    own("http.write", "nghttp2_session_mem_send"),
    own("http.parse", "nghttp2_session_mem_recv"),
};

// The loop, the parsers, and libuv's wrappers of locks.
TEST(LibuvRules, Claims) {
  expect_table("libuv.toml", own({}, "uv_run"), kLibuv);
}

// A callback of the parser does not become parsing: nothing covers what it calls.
TEST(LibuvRules, ParserDoesNotCover) {
  EXPECT_EQ(spent_in(folded_profile("uv_run;llhttp__internal__run;libapp.so!on_body 1")),
            "unattributed");
}

constexpr Claim kRust[] = {
    own("lock", "parking_lot::condvar::Condvar::wait_until_internal"),
    own("lock", "std::sync::poison::mutex::Mutex<T>::lock"),
    own("lock", "<tokio::sync::batch_semaphore::Acquire as core::future::Future>::poll"),
    own("http.write", "hyper::proto::h1::encode::Encoder::encode_and_end"),
    own("http.write",
        "<hyper::proto::h1::role::Server as hyper::proto::h1::Http1Transaction>::encode"),
    own("http.parse", "httparse::Request::parse_with_config_and_uninit_headers"),
    own("http.parse", "hyper::proto::h1::dispatch::Dispatcher<D,Bs,I,T>::poll_inner"),
    own("rt.stream", "tokio::net::tcp::stream::TcpStream::poll_write_vectored_priv"),
    own("rt.stream", "<hyper::server::conn::http1::Connection<I,S> as core::future::Future>::poll"),
    own("loop", "tokio::runtime::scheduler::multi_thread::worker::Context::run_task"),
    own("loop", "mio::poll::Poll::poll"),
    own("loop", "tokio::runtime::task::raw::poll"),
    own("app.lib", "axum::routing::Router<S>::call_with_state"),
    own("rt.native", "gimli::read::unit::parse_attribute"),
};

// Crates by their first path elements, through references and trait implementations too.
TEST(RustRules, Claims) {
  expect_table("rust.toml", own({}, "tokio::runtime::x"), kRust);
}

// A handler below the runtime's poll is the program's.
TEST(RustRules, TaskOfTheProgram) {
  Profile profile = folded_profile(
      "std::rt::lang_start;tokio::runtime::task::raw::poll;server::handle::{{closure}};"
      "alloc::vec::Vec<T>::push 1");
  profile.run.processes.emplace_back().executables.emplace_back("/bin/app");
  EXPECT_EQ(spent_in(profile), "app.user");
}

}  // namespace
}  // namespace perfgap
