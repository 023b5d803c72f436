// Rules for Go, CPython, HotSpot and JavaScriptCore: names seen in a net/http server (go 1.19.8),
// an http.server (CPython 3.11) and a Java server (OpenJDK 17), with perf maps; JavaScriptCore's
// are WebKit's.
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
constexpr Claim in(std::string_view module, std::string_view category, std::string_view function,
                   std::string_view under = {}) {
  return {.category = category, .function = function, .module = module, .under = under};
}
constexpr Claim jit(std::string_view category, std::string_view function) {
  return {.category = category, .function = function, .kind = FrameKind::jit, .module = "[jit]"};
}

constexpr Claim kGo[] = {
    own("mem.copy", "runtime.memmove.abi0"),
    own("mem.copy", "runtime.memclrNoHeapPointers"),
    own("mem.copy", "indexbytebody"),
    own(kTransparent, "runtime.goexit.abi0"),
    own(kTransparent, "runtime.mstart1"),
    own("sys.futex", "runtime.futex.abi0"),
    own("sys.epoll", "runtime.epollwait.abi0"),
    own("sys.time", "runtime.usleep.abi0"),
    own("sys.mem", "runtime.sysMmap.abi0"),
    own("sys.other", "runtime/internal/syscall.Syscall6"),
    own("sys.other", "internal/runtime/syscall.Syscall6"),  // later releases
    own("sys.other", "syscall.RawSyscall6"),
    own("gc.barrier", "runtime.gcWriteBarrierCX"),
    own("gc.barrier", "runtime.bulkBarrierPreWrite"),
    own("gc.major", "runtime.scanobject"),
    own("gc.major", "runtime.gcDrain"),
    own("gc.major", "runtime.(*gcControllerState).update"),
    own("alloc.gcheap", "runtime.mallocgc"),
    own("alloc.gcheap", "runtime.mallocgcSmallNoscan"),  // later releases
    own("alloc.gcheap", "runtime.(*mheap).allocSpan"),
    own("lock", "runtime.unlock2"),
    own("lock", "sync.(*Mutex).Unlock"),
    own("loop", "runtime.findRunnable"),
    own("loop", "runtime.exitsyscallfast"),
    own("loop", "runtime.netpollblock"),
    own("loop", "runtime.selectgo"),
    own("loop", "internal/poll.runtime_pollWait"),
    own("ser.json", "encoding/json.(*encodeState).string"),
    own("crypto", "crypto/sha256.block"),
    own("compress", "compress/flate.(*compressor).deflate"),
    own("regex", "regexp.(*Regexp).doExecute"),
    own("http.parse", "net/http.readRequest"),
    own("http.parse", "net/textproto.CanonicalMIMEHeaderKey"),
    own("http.write", "net/http.(*response).finishRequest"),
    own("http.write", "net/http.Header.writeSubset"),
    own("rt.stream", "internal/poll.(*FD).Read"),
    own("rt.stream", "bufio.(*Writer).Flush"),
    own("dispatch.call", "runtime.getitab"),
    own("dispatch.call", "runtime.(*itabTableType).find"),
    own("rt.string", "strconv.AppendInt"),
    own("rt.string", "runtime.concatstrings"),
    own("rt.builtin", "runtime.mapaccess1_faststr"),
    own("rt.builtin", "time.Now"),
    own("rt.native", "runtime.findfunc"),
    own("rt.native", "sync.(*Pool).Get"),
    own("app.lib", "net/http.serverHandler.ServeHTTP"),
    own("app.lib", "github.com/gin-gonic/gin.(*Context).Next"),
    own("app.user", "main.main.func2"),
    own("app.user", "example.org/shop/cart.Total"),
};

// Every family has its category, and every rule of the file is needed.
TEST(GoRules, Claims) {
  expect_table("go.toml", own({}, "runtime.mallocgc"), kGo);
}

// A handler's allocation is the allocator's, its collection assist the collector's.
TEST(GoRules, Handler) {
  const std::string handler = "runtime.goexit;net/http.(*conn).serve;main.main.func2";
  EXPECT_EQ(spent_in(folded_profile(handler + ";runtime.newobject;runtime.memclrNoHeapPointers 1")),
            "alloc.gcheap");
  EXPECT_EQ(spent_in(folded_profile(handler + ";runtime.newobject;runtime.gcAssistAlloc;"
                                              "runtime.systemstack;runtime.scanobject 1")),
            "gc.major");
}

constexpr std::string_view kPython = "/usr/bin/python3.11";

constexpr Claim kCpython[] = {
    jit("app.lib", "py::do_GET:/usr/lib/python3.12/http/server.py"),
    jit("app.lib", "py::get:/srv/app/venv/lib/python3.12/site-packages/flask/app.py"),
    jit("app.user", "py::handler:/srv/app/main.py"),
    in(kPython, "interp", "_PyEval_EvalFrameDefault"),
    in(kPython, "jit.parse", "_PyPegen_run_parser"),
    in(kPython, "jit.parse", "compiler_visit_expr"),
    in(kPython, "jit.compile", "_Py_Specialize_LoadAttr"),
    in(kPython, "gc.other", "PyGC_Collect"),
    in(kPython, "gc.other", "gc_collect_main"),
    in(kPython, "gc.other", "dict_traverse"),
    in(kPython, "alloc.gcheap", "_PyObject_Malloc"),
    in(kPython, "alloc.gcheap", "PyType_GenericAlloc"),
    in(kPython, "alloc.gcheap", "_Py_Dealloc"),
    in(kPython, "alloc.gcheap", "tupledealloc_dealloc"),
    in(kPython, "dispatch.call", "PyObject_Vectorcall"),
    in(kPython, "dispatch.call", "_PyObject_MakeTpCall"),
    in(kPython, "dispatch.call", "_PyFunction_Vectorcall"),
    in(kPython, "dispatch.call", "method_vectorcall_NOARGS"),
    in(kPython, "dispatch.property", "_PyObject_GenericGetAttrWithDict"),
    in(kPython, "dispatch.property", "_PyType_Lookup"),
    in(kPython, "dispatch.property", "type_getattro"),
    in(kPython, "lock", "PyEval_RestoreThread"),
    in(kPython, "lock", "take_gil"),
    in("/usr/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so", "ser.json",
       "_match_number_unicode"),
    in(kPython, "ser.json", "scan_once_unicode"),
    in(kPython, "regex", "sre_ucs1_match"),
    in("/usr/lib/python3.11/lib-dynload/_sre.cpython-311-x86_64-linux-gnu.so", "regex", "charset"),
    in("/usr/lib/python3.11/lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "crypto",
       "context_new"),
    in("/usr/lib/python3.11/lib-dynload/zlib.cpython-311-x86_64-linux-gnu.so", "compress",
       "arrange_output"),
    in("/srv/venv/httptools.cpython-311-x86_64-linux-gnu.so", "http.parse", "cb_on_url"),
    in("/srv/venv/uvloop.cpython-311-x86_64-linux-gnu.so", "loop", "on_idle"),
    in(kPython, "loop", "task_step_impl"),
    in(kPython, "rt.stream", "_Py_write"),
    in(kPython, "rt.stream", "sock_send_impl"),
    in(kPython, "rt.string", "PyUnicode_New"),
    in(kPython, "rt.string", "unicode_hash"),
    in(kPython, "rt.builtin", "PyList_New"),
    in(kPython, "rt.builtin", "PyTraceBack_Here"),
    in(kPython, "rt.builtin", "dict_subscript"),
    in("/srv/lib/libembed.so", "rt.native", "PyInterpreterState_New"),
    in(kPython, "rt.native", "pymain_run_python"),
    in("/srv/venv/numpy.cpython-311-x86_64-linux-gnu.so", "app.lib", "array_add"),
};

// Every family has its category, and every rule of the file is needed.
TEST(CpythonRules, Claims) {
  expect_table("cpython.toml", in(kPython, {}, "_PyEval_EvalFrameDefault"), kCpython);
}

constexpr std::string_view kJvm = "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so";

constexpr Claim kHotspot[] = {
    in(kJvm, "mem.copy", "Copy::conjoint_words_to_lower"),
    in(kJvm, kTransparent, "Thread::call_run"),
    in(kJvm, kTransparent, "thread_native_entry"),
    in(kJvm, "jit.deopt", "Deoptimization::fetch_unroll_info_helper"),
    in(kJvm, "jit.compile", "PhaseChaitin::Split"),
    in(kJvm, "jit.compile", "IndexSetIterator::advance_and_next",
       "CompileBroker::invoke_compiler_on_method"),
    in(kJvm, "jit.parse", "ClassFileParser::parse_constant_pool"),
    in(kJvm, "gc.barrier", "G1BarrierSet::write_ref_field_post"),
    in(kJvm, "gc.minor", "DefNewGeneration::copy_to_survivor_space"),
    in(kJvm, "gc.minor", "PSPromotionManager::drain_stacks_depth"),
    in(kJvm, "gc.major", "MarkSweep::follow_stack"),
    in(kJvm, "gc.major", "G1CMTask::do_marking_step"),
    in(kJvm, "gc.other", "VM_GenCollectForAllocation::doit"),
    in(kJvm, "gc.other", "G1CollectedHeap::expand"),
    in(kJvm, "gc.minor", "OopOopIterateDispatch<DefNewScanClosure>::Table::oop_oop_iterate",
       "DefNewGeneration::collect"),
    in(kJvm, "gc.major", "CodeHeap::next_used", "GenMarkSweep::mark_sweep_phase1"),
    in(kJvm, "gc.other", "GCMemoryManager::gc_end", "VM_GenCollectForAllocation::doit"),
    in(kJvm, "alloc.gcheap", "MemAllocator::allocate"),
    in(kJvm, "alloc.gcheap", "OptoRuntime::new_instance_C"),
    jit("alloc.gcheap", "fast_new_instance Runtime1 stub"),
    in(kJvm, "dispatch.call", "LinkResolver::resolve_virtual_call"),
    jit("dispatch.call", "I2C/C2I adapters"),
    jit("dispatch.call", "vtable stub"),
    jit("interp", "Interpreter"),
    in(kJvm, "interp", "InterpreterRuntime::resolve_from_cache"),
    in(kJvm, "lock", "ObjectMonitor::TrySpin"),
    jit("lock", "monitorenter Runtime1 stub"),
    jit("app.lib", "java.lang.Object java.util.HashMap.put(java.lang.Object, java.lang.Object)"),
    jit("app.lib", "Ljava/util/HashMap;::put"),
    jit("app.lib", "void sun.net.httpserver.ExchangeImpl.sendResponseHeaders(int, long)"),
    jit("app.user", "void Hello.lambda$main$0(com.sun.net.httpserver.HttpExchange)"),
    jit("app.user", "java.lang.String com.acme.Cart.total(int)"),
    jit("app.user", "Lcom/acme/Cart;::total"),
    in("/usr/lib/jvm/java-17/lib/libzip.so", "compress", "Java_java_util_zip_Deflater_deflate"),
    in("/usr/lib/jvm/java-17/lib/libnio.so", "rt.stream", "Java_sun_nio_ch_EPoll_ctl"),
    in("/usr/lib/jvm/java-17/lib/libjimage.so", "rt.native", "Java_jdk_internal_jimage_x"),
    jit("rt.native", "forward_exception Runtime1 stub"),
    jit("rt.native", "SafepointBlob"),
    in(kJvm, "rt.native", "CodeCache::find_blob"),
};
constexpr ThreadClaim kHotspotThreads[] = {
    {"jit.compile", "C2 CompilerThre"},
    {"gc.minor", "GC Thread#0"},
    {"gc.major", "G1 Conc#0"},
};

// Every family has its category, and every rule of the file is needed.
TEST(HotspotRules, Claims) {
  expect_table("hotspot.toml", in(kJvm, {}, "JavaCalls::call_helper"), kHotspot, kHotspotThreads);
}

constexpr Claim kJsc[] = {
    own("interp", "llint_op_call"),
    own("interp", "op_get_by_id_return_location"),
    own("interp", "JSC::LLInt::llint_slow_path_get_by_id"),
    own("gc.barrier", "operationWriteBarrierSlowPath"),
    own("gc.major", "JSC::SlotVisitor::drain"),
    own("gc.minor", "JSC::EdenGCActivityCallback::doCollection"),
    own("alloc.gcheap", "JSC::LocalAllocator::allocateSlowCase"),
    own("alloc.gcheap", "operationNewObject"),
    own("gc.other", "JSC::Heap::runEndPhase"),
    own("jit.deopt", "JSC::DFG::operationCompileOSRExit"),
    own("jit.deopt", "operationCompileFTLOSRExit"),
    own("jit.parse", "JSC::Parser<JSC::Lexer<unsigned char>>::parseStatement"),
    own("jit.compile", "JSC::DFG::ByteCodeParser::parseBlock"),
    own("jit.compile", "JSC::B3::generate"),
    own("microtask.drain", "JSC::VM::drainMicrotasks"),
    own("microtask.promise", "JSC::JSPromise::resolve"),
    own("dispatch.call", "operationLinkCall"),
    own("dispatch.call", "vmEntryToJavaScript"),
    own("dispatch.property", "operationGetByIdOptimize"),
    own("dispatch.property", "JSC::Structure::get"),
    own("dispatch.property", "JSC::InlineCacheCompiler::compile"),
    own("ser.json", "JSC::FastStringifier<unsigned char>::append"),
    own("regex", "JSC::RegExp::match"),
    own("rt.string", "JSC::JSRopeString::resolveRope"),
    own("rt.string", "WTF::StringImpl::createUninitialized"),
    own("http.parse", "uWS::HttpParser::consumePostPadded"),
    own("http.write", "uWS::HttpResponse<false>::writeHeader"),
    own("crypto", "us_internal_ssl_socket_write"),
    own("loop", "us_loop_run_bun_tick"),
    own("loop", "uWS::Loop::run"),
    jit("app.user", "fetch"),
    own("rt.builtin", "operationMapGet"),
    own("rt.builtin", "JSC::arrayProtoFuncPush"),
    own("rt.native", "WTF::Vector<int>::append"),
    own("rt.native", "Bun__fetch"),
};
constexpr ThreadClaim kJscThreads[] = {
    {"gc.other", "HeapHelper"},
    {"jit.compile", "JIT Worklist He"},
    {"rt.native", "JSCWarmUp"},
    {"alloc.native", "mi-scavenger"},
};

// Every family has its category, and every rule of the file is needed.
TEST(JscRules, Claims) {
  expect_table("jsc.toml", own({}, "JSC::VM::drainMicrotasks"), kJsc, kJscThreads);
}

// A helper thread's rule decides over its user frames, and over no kernel frame.
TEST(JscRules, HelperThread) {
  const auto on_helper = [](std::string_view stack) {
    return spent_in(folded_profile(std::string(stack) + " 1", {.thread = "HeapHelper"}));
  };
  EXPECT_EQ(on_helper("JSC::JSObject::visitChildren"), "gc.other");
  EXPECT_EQ(on_helper("JSC::Heap::run;asm_exc_page_fault_[k]"), "kernel.fault");
}

// No file claims another runtime's threads: without JSC, HeapHelper is a name like any other.
TEST(JscRules, OnlyWithJsc) {
  EXPECT_EQ(spent_in(folded_profile("plugin_run 1", {.thread = "HeapHelper"})), "unattributed");
}

}  // namespace
}  // namespace perfgap
