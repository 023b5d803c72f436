// V8's and Node's rules on names of node 24.21.0, and on whole stacks of Hono and Fastify servers.
#include <gtest/gtest.h>

#include "tests/analyzers/rules_fixture.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

constexpr std::string_view kNode = "/usr/local/bin/node";
constexpr Claim kRuntime = {
    .category = {}, .function = "Builtins_JSEntry", .kind = FrameKind::builtin, .module = kNode};

constexpr Claim builtin(std::string_view category, std::string_view function) {
  return {.category = category, .function = function, .kind = FrameKind::builtin, .module = kNode};
}
constexpr Claim native(std::string_view category, std::string_view function,
                       std::string_view under = {}) {
  return {.category = category, .function = function, .module = kNode, .under = under};
}
constexpr Claim script(std::string_view category, std::string_view function, std::string_view file,
                       FrameKind kind = FrameKind::jit) {
  return {
      .category = category, .function = function, .kind = kind, .module = "[jit]", .file = file};
}

constexpr Claim kBuiltins[] = {
    builtin("mem.copy", "Builtins_MemCopyUint8Uint8"),
    builtin("interp", "Builtins_InterpreterEntryTrampoline"),
    builtin("interp", "Builtins_GetNamedPropertyHandler"),
    builtin("interp", "Builtins_LdaImmutableCurrentContextSlotHandler"),
    builtin("interp", "Builtins_CallProperty1Handler"),
    builtin("interp", "Builtins_AddSmiExtraWideHandler"),
    builtin("interp", "Builtins_InterpreterEnterAtNextBytecode"),
    builtin("interp", "Builtins_BaselineOutOfLinePrologue"),
    builtin("rt.builtin", "Builtins_AtomicsMutexAsyncUnlockResolveHandler"),
    builtin("gc.barrier", "Builtins_RecordWriteSaveFP"),
    builtin("gc.barrier", "Builtins_EphemeronKeyBarrierIgnoreFP"),
    builtin("jit.deopt", "Builtins_DeoptimizationEntry_Lazy"),
    builtin("jit.compile", "Builtins_CompileLazy"),
    builtin("jit.compile", "Builtins_StartTurbofanOptimizeJob"),
    builtin("ser.json", "Builtins_JsonStringify"),
    builtin("regex", "Builtins_RegExpPrototypeTestFast"),
    builtin("microtask.drain", "Builtins_RunMicrotasks"),
    builtin("microtask.drain", "Builtins_JSRunMicrotasksEntry"),
    builtin("microtask.promise", "Builtins_PromiseFulfillReactionJob"),
    builtin("microtask.promise", "Builtins_PerformPromiseThen"),
    builtin("microtask.promise", "Builtins_FulfillPromise"),
    builtin("microtask.promise", "Builtins_AsyncFunctionAwaitResolveClosure"),
    builtin("microtask.promise", "Builtins_ResumeGeneratorTrampoline"),
    builtin("microtask.promise", "Builtins_EnqueueMicrotask"),
    builtin("rt.native", "Builtins_CallApiCallbackOptimizedNoProfiling"),
    builtin("rt.native", "Builtins_HandleApiCallOrConstruct"),
    builtin("dispatch.call", "Builtins_CallFunction_ReceiverIsAny"),
    builtin("dispatch.call", "Builtins_Call_ReceiverIsNullOrUndefined_Baseline"),
    builtin("dispatch.call", "Builtins_CallBoundFunction"),
    builtin("dispatch.call", "Builtins_CallWithArrayLike"),
    builtin("dispatch.call", "Builtins_JSConstructStubGeneric"),
    builtin("dispatch.call", "Builtins_JSEntryTrampoline"),
    builtin("dispatch.call", "Builtins_CEntry_Return1_ArgvOnStack_NoBuiltinExit"),
    builtin("dispatch.call", "Builtins_InterpreterPushArgsThenCall"),
    builtin("dispatch.call", "Builtins_FunctionPrototypeApply"),
    builtin("dispatch.call", "Builtins_ReflectApply"),
    builtin("rt.string", "Builtins_StringAdd_CheckNone"),
    builtin("rt.string", "Builtins_StringPrototypeToLowerCaseIntl"),
    builtin("rt.string", "Builtins_NumberToString"),
    builtin("alloc.gcheap", "Builtins_AllocateInYoungGeneration"),
    builtin("alloc.gcheap", "Builtins_CreateShallowObjectLiteral"),
    builtin("alloc.gcheap", "Builtins_FastNewClosure"),
    builtin("dispatch.property", "Builtins_LoadIC"),
    builtin("dispatch.property", "Builtins_LoadIC_Megamorphic"),
    builtin("dispatch.property", "Builtins_KeyedStoreICTrampoline_Megamorphic"),
    builtin("dispatch.property", "Builtins_DefineNamedOwnIC"),
    builtin("dispatch.property", "Builtins_CloneObjectIC_Slow"),
    builtin("dispatch.property", "Builtins_LoadGlobalICInsideTypeofTrampoline"),
    builtin("dispatch.property", "Builtins_StoreFastElementIC_InBounds"),
    builtin("dispatch.property", "Builtins_GetProperty"),
    builtin("dispatch.property", "Builtins_ForInFilter"),
    builtin("rt.builtin", "Builtins_ArrayPrototypePush"),
    builtin("rt.builtin", "Builtins_MapPrototypeGet"),
    builtin("rt.builtin", "Builtins_Add_WithFeedback"),
};

constexpr Claim kEngine[] = {
    native("mem.copy", "v8::internal::CopyChars<unsigned char, unsigned char>"),
    native("gc.barrier", "v8::internal::WriteBarrier::MarkingSlow"),
    native("gc.minor", "v8::internal::Scavenger::ScavengePage"),
    native("gc.minor", "v8::internal::RootScavengeVisitor::VisitRootPointer"),
    native("gc.minor", "v8::internal::SemiSpace::Swap"),
    native("gc.minor", "v8::internal::Heap::Scavenge"),
    native("gc.major", "v8::internal::MarkCompactCollector::CollectGarbage"),
    native("gc.major", "v8::internal::ConcurrentMarking::RunMajor"),
    native("gc.major", "v8::internal::Sweeper::RawSweep"),
    native("gc.minor", "v8::internal::HandleScopeImplementer::IterateThis",
           "v8::internal::Heap::Scavenge"),
    native("gc.major", "v8::internal::HandleScopeImplementer::IterateThis",
           "v8::internal::MarkCompactCollector::CollectGarbage"),
    native("gc.minor", "heap::base::Worklist<v8::internal::Tagged<v8::internal::Object>, 64>::Push",
           "v8::internal::Scavenger::Process"),
    native("gc.other", "heap::base::ActiveSystemPages::Add"),
    native("gc.other", "v8::internal::Heap::CollectGarbage"),
    native("gc.other", "v8::internal::GCTracer::StopCycle"),
    native("gc.other", "v8::base::TimeDelta::InMillisecondsF",
           "v8::internal::Heap::PerformGarbageCollection"),
    native("jit.deopt", "v8::internal::Deoptimizer::DoComputeOutputFrames"),
    native("jit.parse", "v8::internal::PreParser::PreParseFunction"),
    native("jit.parse", "v8::internal::interpreter::BytecodeGenerator::VisitCall"),
    native("jit.parse", "v8::internal::Zone::Expand",
           "v8::internal::interpreter::BytecodeGenerator::VisitCall"),
    native("jit.compile", "v8::internal::compiler::GraphReducer::ReduceTop"),
    native("jit.compile", "v8::internal::compiler::turboshaft::Pipeline::OptimizeTurboshaftGraph"),
    native("jit.compile", "v8::internal::maglev::MaglevGraphBuilder::VisitCallProperty1"),
    native("jit.compile", "v8::internal::OptimizingCompileTaskExecutor::CompileNext"),
    native("jit.compile", "v8::internal::Runtime_BytecodeBudgetInterrupt_Ignition"),
    native("jit.compile", "v8::internal::Zone::Expand",
           "v8::internal::compiler::GraphReducer::ReduceTop"),
    native("ser.json", "v8::internal::JsonStringifier::Serialize_<true>"),
    native("ser.json", "v8::internal::FastJsonStringifier<unsigned char>::SerializeJSObject"),
    native("ser.json", "v8::ValueSerializer::WriteValue"),
    native("ser.json", "v8::internal::TransitionsAccessor::SearchTransition",
           "v8::internal::JsonParser<unsigned char>::ParseJsonValue"),
    native("regex", "v8::internal::IrregexpInterpreter::Match"),
    native("regex", "v8::internal::(anonymous namespace)::RawMatch<unsigned char>"),
    native("microtask.drain", "v8::internal::MicrotaskQueue::RunMicrotasks"),
    native("microtask.drain", "v8::internal::Execution::TryRunMicrotasks"),
    native("microtask.promise", "v8::internal::JSPromise::Resolve"),
    native("rt.native", "v8::internal::(anonymous namespace)::HandleApiCallHelper<true>"),
    native("dispatch.feedback", "v8::internal::FeedbackNexus::ic_state"),
    native("dispatch.call", "v8::internal::(anonymous namespace)::Invoke"),
    native("dispatch.call", "v8::internal::Execution::Call"),
    native("dispatch.call", "v8::Function::Call"),
    native("rt.string", "v8::internal::String::SlowFlatten<v8::internal::DirectHandle>"),
    native("rt.string", "v8::internal::StringTable::LookupKey<v8::internal::Isolate>"),
    native("rt.string", "v8::internal::FactoryBase<v8::internal::Factory>::InternalizeString"),
    native("rt.string", "simdutf::icelake::implementation::convert_latin1_to_utf8"),
    native("alloc.gcheap", "v8::internal::FactoryBase<v8::internal::Factory>::NewRawOneByteString"),
    native("alloc.gcheap", "v8::internal::Factory::CopyJSObjectWithAllocationSite"),
    native("alloc.gcheap", "v8::internal::MainAllocator::AllocateRawSlow"),
    native("dispatch.property", "v8::internal::LookupIterator::Start<true>"),
    native("dispatch.property", "void v8::internal::LookupIterator::Start<true>"),
    native("dispatch.property", "v8::internal::KeyedLoadIC::Load"),
    native("dispatch.property", "v8::internal::Runtime_KeyedLoadIC_Miss"),
    native("dispatch.property", "v8::internal::JSObject::MigrateToMap"),
    native("dispatch.property", "v8::internal::Map::TransitionToDataProperty"),
    native("dispatch.property", "v8::Object::Get"),
    native("rt.builtin", "v8::internal::Builtin_ArrayShift"),
    native("rt.builtin",
           "v8::internal::(anonymous namespace)::ElementsAccessorBase<v8::internal::(anonymous "
           "namespace)::FastPackedObjectElementsAccessor>::Shift"),
    native("rt.builtin", "v8::Array::New"),
    native("rt.native", "v8::Value::IsFunction"),
    native("rt.native", "v8::internal::GlobalHandles::Destroy"),
};

constexpr Claim kNodeCode[] = {
    native("microtask.drain", "node::InternalCallbackScope::Close"),
    native("microtask.drain", "node::task_queue::RunMicrotasks"),
    native("http.parse", "node::http_parser::Parser::OnStreamRead"),
    native("http.parse", "non-virtual thunk to node::http_parser::Parser::OnStreamAlloc"),
    native("http.parse", "node::(anonymous namespace)::Parser::Execute"),  // node 20
    native("crypto", "node::crypto::Hash::HashUpdate"),
    native("compress",
           "node::(anonymous namespace)::CompressionStream<node::(anonymous "
           "namespace)::ZlibContext>::Write"),
    native("rt.stream", "node::StreamBase::WriteString<(node::encoding)1>"),
    native("rt.stream", "non-virtual thunk to node::LibuvStreamWrap::DoTryWrite"),
    native("rt.stream", "node::LibuvStreamWrap::OnUvRead"),
    native("loop", "node::SpinEventLoopInternal"),
    native("loop", "node::InternalCallbackScope::InternalCallbackScope"),
    native("loop", "node::AsyncWrap::MakeCallback"),
    native("loop", "node::Environment::RunTimers"),
    native("loop", "v8::platform::DefaultJobWorker::Run"),
    native("rt.native", "node::async_context_frame::set"),
    native("rt.native", "napi_call_function"),
    native("rt.native", "node::Buffer::(anonymous namespace)::Copy"),
    // Template arguments decide nothing.
    native(kTransparent,
           "std::_Rb_tree<node::http_parser::Parser*, node::http_parser::Parser*, "
           "std::allocator<node::http_parser::Parser*> >::equal_range"),
};

constexpr Claim kScripts[] = {
    script("microtask.drain", "processTicksAndRejections", "node:internal/process/task_queues"),
    script("microtask.promise", "processPromiseRejections", "node:internal/process/promises"),
    script("loop", "listOnTimeout", "node:internal/timers"),
    script("app.lib", "insert", "node:internal/timers"),
    script("app.lib", "parserOnIncoming", "node:_http_server"),
    script("app.lib", "clearBuffer", "node:internal/streams/writable"),
    script("app.lib", "#dispatch", "/srv/app/node_modules/hono/dist/hono-base.js"),
    script("app.lib", "Reply.send", "/srv/app/node_modules/fastify/lib/reply.js"),
    script("app.user", "main", "/srv/app/hono.ts"),
    script("app.user", "(anonymous)", {}),
    script("app.user", "wasm-function[12]", {}),
    script("app.user", "RegExpRouter.match", "/srv/app/router.js"),
    script("regex", "RegExp src: '^[a-z]+$' flags: ''", {}),
    {.category = "interp",
     .function = "main",
     .kind = FrameKind::interpreted,
     .module = "[jit]",
     .file = "/srv/app/server.mjs",
     .leaf = true},
    script("app.user", "main", "/srv/app/server.mjs", FrameKind::interpreted),
};

// Every family has its category, and every rule of the file is needed.
TEST(V8Rules, Claims) {
  std::vector<Claim> claims;
  for (const std::span<const Claim> table :
       {std::span<const Claim>(kBuiltins), std::span<const Claim>(kEngine),
        std::span<const Claim>(kNodeCode), std::span<const Claim>(kScripts)}) {
    claims.insert(claims.end(), table.begin(), table.end());
  }
  expect_table("v8.toml", kRuntime, claims);
}

constexpr std::string_view kRequest =
    "node::Start;uv_run;uv__io_poll;uv__stream_io;uv__read;node::LibuvStreamWrap::OnUvRead;"
    "node::http_parser::Parser::OnStreamRead;llhttp__internal_execute;llhttp__internal__run;"
    "node::http_parser::Parser::on_headers_complete;v8::Function::Call;v8::internal::Execution::"
    "Call;v8::internal::(anonymous namespace)::Invoke;Builtins_JSEntry_[b];"
    "Builtins_JSEntryTrampoline_[b];parserOnHeadersComplete_[j]";

std::string category(std::string_view stack, std::string_view leaves) {
  return spent_in(folded_profile(std::string(stack) + std::string(leaves) + " 1"));
}

// A request's time goes to what is innermost, and helpers that only copy or store go to their
// caller.
TEST(V8Rules, RequestOfAServer) {
  EXPECT_EQ(category(kRequest, ""), "app.user");  // no source file: not known to be Node's
  EXPECT_EQ(category(kRequest, ";Builtins_LoadIC_[b]"), "dispatch.property");
  EXPECT_EQ(category(kRequest, ";Builtins_StringAdd_CheckNone_[b]"), "rt.string");
  constexpr std::string_view kWrite =
      ";Builtins_CallApiCallbackOptimizedNoProfiling_[b];node::StreamBase::WriteString<(node::"
      "encoding)1>";
  EXPECT_EQ(category(std::string(kRequest) + std::string(kWrite), ""), "rt.stream");
  EXPECT_EQ(category(std::string(kRequest) + std::string(kWrite),
                     ";v8::internal::String::WriteToFlat<unsigned char>;libc.so.6!"
                     "__memmove_avx512_unaligned_erms"),
            "rt.string");
  EXPECT_EQ(category(std::string(kRequest) + std::string(kWrite),
                     ";node::LibuvStreamWrap::DoTryWrite;uv_try_write;libc.so.6!__GI___libc_write;"
                     "do_syscall_64_[k];ksys_write_[k];sock_write_iter_[k]"),
            "sys.net");
  EXPECT_EQ(category("Builtins_JSEntry_[b];node::http_parser::Parser::OnStreamRead",
                     ";std::_Rb_tree<node::http_parser::Parser*>::_M_insert"),
            "http.parse");
}

// A collection keeps all it calls, whether an allocation started it or a helper thread runs it.
TEST(V8Rules, Collection) {
  const std::string allocation =
      std::string(kRequest) +
      ";Builtins_AllocateInYoungGeneration_[b];v8::internal::Runtime_AllocateInYoungGeneration;"
      "v8::internal::HeapAllocator::AllocateRawWithLightRetrySlowPath";
  EXPECT_EQ(category(allocation, ""), "alloc.gcheap");
  EXPECT_EQ(category(allocation,
                     ";v8::internal::Heap::CollectGarbage;v8::internal::Heap::Scavenge;v8::internal"
                     "::ScavengerCollector::CollectGarbage;v8::internal::Isolate::Iterate;v8::"
                     "internal::ExitFrame::Iterate"),
            "gc.minor");
  EXPECT_EQ(spent_in(folded_profile(
                "libc.so.6!start_thread;node::(anonymous namespace)::PlatformWorkerThread;"
                "v8::platform::DefaultJobWorker::Run;v8::internal::ConcurrentMarking::RunMajor;"
                "Builtins_JSEntry_[b];v8::internal::ConcurrentMarking::RunMajor;v8::internal::"
                "BodyDescriptorBase::IteratePointers<v8::internal::MarkingVisitor> 1",
                {.thread = "V8Worker"})),
            "gc.major");
}

// Interpreted code without a handler on the stack is the interpreter; below a call it is the
// function's.
TEST(V8Rules, InterpretedFunction) {
  const std::string entry = "Builtins_JSEntry_[b];handler_[n]";
  EXPECT_EQ(category(entry, ""), "interp");
  EXPECT_EQ(category(entry, ";Builtins_LdarHandler_[b]"), "interp");
  EXPECT_EQ(category(entry, ";Builtins_KeyedLoadIC_[b]"), "dispatch.property");
}

// The file applies to V8 alone: elsewhere a function named like Node's is somebody else's.
TEST(V8Rules, OnlyWithV8) {
  EXPECT_EQ(spent_in(folded_profile("node::Start 1")), "unattributed");
  EXPECT_EQ(spent_in(folded_profile("Builtins_JSEntry_[b];node::Start 1")), "loop");
}

}  // namespace
}  // namespace perfgap
