// Perry's rules on names of binaries built with perry 0.5.1182, and on stacks of Hono behind its
// Fastify.
#include <gtest/gtest.h>

#include "tests/analyzers/rules_fixture.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

constexpr Claim own(std::string_view category, std::string_view function,
                    std::string_view under = {}) {
  return {.category = category, .function = function, .under = under};
}

constexpr Claim kClaims[] = {
    own(kTransparent, "perry_runtime::buffer::header::is_registered_buffer"),
    own(kTransparent, "perry_runtime::shared_sab::is_shared_sab"),
    own(kTransparent, "perry_runtime::typedarray::lookup_typed_array_kind"),
    own(kTransparent, "perry_stdlib::common::handle::iter_handle_ids_of"),

    own("gc.barrier", "js_write_barrier_slot"),
    own("gc.barrier", "perry_runtime::gc::barrier::incremental_mark_barrier_value"),
    own("gc.bookkeeping", "perry_runtime::gc::layout::layout_note_slot"),
    own("gc.bookkeeping", "perry_runtime::gc::layout::layout_init_pointer_free"),
    own("gc.bookkeeping", "js_gc_note_slot_layout"),
    own("gc.bookkeeping", "js_shadow_frame_push"),
    own("gc.minor", "perry_runtime::gc::gc_collect_minor_with_trigger"),
    own("gc.minor", "perry_runtime::gc::copying::CopyingNursery::evacuate"),
    own("gc.minor", "perry_runtime::gc::cycle::GcCycleState::step",
        "perry_runtime::gc::gc_collect_minor_with_trigger"),
    own("gc.major", "perry_runtime::gc::cycle::GcCycleState::step"),
    own("gc.major", "perry_runtime::gc::oldgen::sweep"),
    own("gc.other", "perry_runtime::gc::policy::flush_deferred_gc_request"),
    own("gc.other", "perry_runtime::promise::scan_iter_result_root_mut_roots"),
    own("alloc.gcheap", "perry_runtime::arena::block::Arena::alloc"),
    own("alloc.gcheap", "perry_runtime::gc::malloc::gc_malloc"),
    own("alloc.gcheap", "js_object_alloc_class_inline_keys"),

    own("dispatch.call", "js_native_call_method"),
    own("dispatch.call", "js_native_call_method_str_key"),
    own("dispatch.call", "js_closure_call1"),
    own("dispatch.call", "js_typed_feedback_native_call_method"),
    own("dispatch.call", "js_closure_get_capture_f64"),
    own("dispatch.call", "perry_runtime::object::class_registry::call_vtable_method"),
    own("dispatch.call", "perry_runtime::closure::registry::dispatch_rest_bundled"),
    own("dispatch.feedback", "js_typed_feedback_class_field_set_guard"),
    own("dispatch.feedback", "perry_runtime::typed_feedback::guards::class_setter_in_chain"),
    own("dispatch.feedback", "js_array_get_f64",
        "perry_runtime::typed_feedback::object_key_matches_field"),
    own("dispatch.property", "js_object_get_field_ic_miss"),
    own("dispatch.property", "js_object_set_field_by_name"),
    own("dispatch.property", "perry_runtime::object::get_accessor_descriptor"),
    own("dispatch.property", "perry_runtime::object::prototype_chain::resolve_inherited_field"),
    own("dispatch.property", "js_array_get_f64", "js_object_get_field_by_name"),

    own("microtask.drain", "js_promise_run_microtasks"),
    own("microtask.drain", "js_promise_run_microtasks_event_loop"),  // newer sources
    own("microtask.drain", "perry_runtime::promise::microtasks::run_microtasks"),
    own("microtask.promise", "js_async_first_call"),
    own("microtask.promise", "js_await_any"),
    own("microtask.promise", "perry_runtime::promise::then::js_promise_new_with_executor"),
    own("loop", "js_run_stdlib_pump"),
    own("loop", "js_wait_for_event"),
    own("loop", "js_net_process_pending"),
    own("loop", "perry_stdlib::fastify::server::js_fastify_process_pending"),
    own("loop", "perry_stdlib::tls::js_tls_has_active_handles"),

    own("ser.json", "js_json_stringify"),
    own("ser.json", "perry_runtime::json::stringify::write_escaped_string"),
    own("regex", "js_regexp_exec"),
    own("rt.string", "js_string_concat_value"),
    own("rt.string", "perry_runtime::string::compare::js_string_key_matches"),
    own("crypto", "js_crypto_random_bytes"),
    own("compress", "js_zlib_inflate"),

    own("app.lib", "perry_method_node_modules_hono_dist_hono_base_js__Hono__u__23_dispatch"),
    own("app.lib", "node_modules_hono_dist_context_js__Context_constructor"),
    own("app.lib", "__perry_wrap_perry_fn_node_modules_hono_dist_utils_url_js__getPath"),
    own("app.lib", "js_fastify_reply_send"),
    own("app.user", "perry_closure_hono_on_fastify_ts__10"),
    own("app.user", "perry_fn_cpu_mix_ts__one"),
    own("app.user", "gc_mix_ts__Node2_constructor"),
    {.category = "app.user", .function = "perry_fn_cpu_mix_ts__one", .module = "/srv/moved/app"},
    own("rt.stream", "js_request_new"),
    own("rt.stream", "perry_stdlib::fetch::alloc_response"),
    own("rt.builtin", "js_array_push_f64"),
    own("rt.builtin", "js_array_get_f64"),
    own("rt.builtin", "perry_runtime::array::iter_object::dispatch_array_iterator_method"),
    own("rt.native", "perry_runtime::async_hooks::after"),
    own("rt.native", "url::parser::Parser::parse_url"),
};

// Every family has its category, and every rule of the file is needed.
TEST(PerryRules, Claims) {
  expect_table("perry.toml", own({}, "js_native_call_method"), kClaims);
}

std::string category(std::string_view leaves) {
  return spent_in(folded_profile(
      "main;js_promise_run_microtasks;js_native_call_method;perry_closure_hono_on_fastify_ts__10" +
      std::string(leaves) + " 1"));
}

// Application time below the dispatcher is the application's; tests of a value's kind and hash
// tables are their caller's.
TEST(PerryRules, BelowTheDispatcher) {
  EXPECT_EQ(category(""), "app.user");
  EXPECT_EQ(category(";js_object_set_field_by_name;js_array_get_f64;perry_runtime::buffer::header::"
                     "is_registered_buffer"),
            "dispatch.property");
  EXPECT_EQ(category(";js_array_push_f64;perry_runtime::gc::layout::layout_note_slot;hashbrown::"
                     "map::HashMap<K,V,S,A>::insert;core::hash::BuildHasher::hash_one"),
            "gc.bookkeeping");
  EXPECT_EQ(category(";js_run_stdlib_pump;perry_stdlib::common::handle::for_each_handle_of;"
                     "<dashmap::iter::Iter<K,V,S,M> as core::iter::Iterator>::next"),
            "loop");
}

}  // namespace
}  // namespace perfgap
