// Perry's rules on names of binaries built with perry 0.5.1182, and on stacks of Hono behind its
// Fastify.
#include <gtest/gtest.h>

#include "tests/analyzers/rules_fixture.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

constexpr Claim perry(std::string_view category, std::string_view function,
                      std::string_view under = {}) {
  return {.category = category, .function = function, .under = under};
}

constexpr Claim kPerryClaims[] = {
    perry(kTransparent, "perry_runtime::buffer::header::is_registered_buffer"),
    perry(kTransparent, "perry_runtime::shared_sab::is_shared_sab"),
    perry(kTransparent, "perry_runtime::typedarray::lookup_typed_array_kind"),
    perry(kTransparent, "perry_stdlib::common::handle::iter_handle_ids_of"),

    perry("gc.barrier", "js_write_barrier_slot"),
    perry("gc.barrier", "perry_runtime::gc::barrier::incremental_mark_barrier_value"),
    perry("gc.bookkeeping", "perry_runtime::gc::layout::layout_note_slot"),
    perry("gc.bookkeeping", "perry_runtime::gc::layout::layout_init_pointer_free"),
    perry("gc.bookkeeping", "js_gc_note_slot_layout"),
    perry("gc.bookkeeping", "js_shadow_frame_push"),
    perry("gc.minor", "perry_runtime::gc::gc_collect_minor_with_trigger"),
    perry("gc.minor", "perry_runtime::gc::copying::CopyingNursery::evacuate"),
    perry("gc.minor", "perry_runtime::gc::cycle::GcCycleState::step",
          "perry_runtime::gc::gc_collect_minor_with_trigger"),
    perry("gc.major", "perry_runtime::gc::cycle::GcCycleState::step"),
    perry("gc.major", "perry_runtime::gc::oldgen::sweep"),
    perry("gc.other", "perry_runtime::gc::policy::flush_deferred_gc_request"),
    perry("gc.other", "perry_runtime::promise::scan_iter_result_root_mut_roots"),
    perry("alloc.gcheap", "perry_runtime::arena::block::Arena::alloc"),
    perry("alloc.gcheap", "perry_runtime::gc::malloc::gc_malloc"),
    perry("alloc.gcheap", "js_object_alloc_class_inline_keys"),

    perry("dispatch.call", "js_native_call_method"),
    perry("dispatch.call", "js_native_call_method_str_key"),
    perry("dispatch.call", "js_closure_call1"),
    perry("dispatch.call", "js_typed_feedback_native_call_method"),
    perry("dispatch.call", "js_closure_get_capture_f64"),
    perry("dispatch.call", "perry_runtime::object::class_registry::call_vtable_method"),
    perry("dispatch.call", "perry_runtime::closure::registry::dispatch_rest_bundled"),
    perry("dispatch.feedback", "js_typed_feedback_class_field_set_guard"),
    perry("dispatch.feedback", "perry_runtime::typed_feedback::guards::class_setter_in_chain"),
    perry("dispatch.feedback", "js_array_get_f64",
          "perry_runtime::typed_feedback::object_key_matches_field"),
    perry("dispatch.property", "js_object_get_field_ic_miss"),
    perry("dispatch.property", "js_object_set_field_by_name"),
    perry("dispatch.property", "perry_runtime::object::get_accessor_descriptor"),
    perry("dispatch.property", "perry_runtime::object::prototype_chain::resolve_inherited_field"),
    perry("dispatch.property", "js_array_get_f64", "js_object_get_field_by_name"),

    perry("microtask.drain", "js_promise_run_microtasks"),
    perry("microtask.drain", "js_promise_run_microtasks_event_loop"),  // newer sources
    perry("microtask.drain", "perry_runtime::promise::microtasks::run_microtasks"),
    perry("microtask.promise", "js_async_first_call"),
    perry("microtask.promise", "js_await_any"),
    perry("microtask.promise", "perry_runtime::promise::then::js_promise_new_with_executor"),
    perry("loop", "js_run_stdlib_pump"),
    perry("loop", "js_wait_for_event"),
    perry("loop", "js_net_process_pending"),
    perry("loop", "perry_stdlib::fastify::server::js_fastify_process_pending"),
    perry("loop", "perry_stdlib::tls::js_tls_has_active_handles"),

    perry("ser.json", "js_json_stringify"),
    perry("ser.json", "perry_runtime::json::stringify::write_escaped_string"),
    perry("regex", "js_regexp_exec"),
    perry("rt.string", "js_string_concat_value"),
    perry("rt.string", "perry_runtime::string::compare::js_string_key_matches"),
    perry("crypto", "js_crypto_random_bytes"),
    perry("compress", "js_zlib_inflate"),

    perry("app.lib", "perry_method_node_modules_hono_dist_hono_base_js__Hono__u__23_dispatch"),
    perry("app.lib", "node_modules_hono_dist_context_js__Context_constructor"),
    perry("app.lib", "__perry_wrap_perry_fn_node_modules_hono_dist_utils_url_js__getPath"),
    perry("app.lib", "js_fastify_reply_send"),
    perry("app.user", "perry_closure_hono_on_fastify_ts__10"),
    perry("app.user", "perry_fn_cpu_mix_ts__one"),
    perry("app.user", "gc_mix_ts__Node2_constructor"),
    {.category = "app.user", .function = "perry_fn_cpu_mix_ts__one", .module = "/srv/moved/app"},
    perry("rt.stream", "js_request_new"),
    perry("rt.stream", "perry_stdlib::fetch::alloc_response"),
    perry("rt.builtin", "js_array_push_f64"),
    perry("rt.builtin", "js_array_get_f64"),
    perry("rt.builtin", "perry_runtime::array::iter_object::dispatch_array_iterator_method"),
    perry("rt.native", "perry_runtime::async_hooks::after"),
    perry("rt.native", "url::parser::Parser::parse_url"),
};

// Every family has its category, and every rule of the file is needed.
TEST(PerryRules, Claims) {
  expect_table("perry.toml", perry({}, "js_native_call_method"), kPerryClaims);
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
