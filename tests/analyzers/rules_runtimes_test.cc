// Rules for Go, CPython, HotSpot and JavaScriptCore: names seen in a net/http server (go 1.19.8),
// an http.server (CPython 3.11) and a Java server (OpenJDK 17), with perf maps; JavaScriptCore's
// are WebKit's.
#include <gtest/gtest.h>

#include "tests/analyzers/rules_fixture.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

constexpr Claim of_runtime(std::string_view category, std::string_view function,
                           std::string_view under = {}) {
  return {.category = category, .function = function, .under = under};
}
constexpr Claim jit(std::string_view category, std::string_view function) {
  return {.category = category, .function = function, .kind = FrameKind::jit, .module = "[jit]"};
}

constexpr Claim kGo[] = {
    of_runtime("mem.copy", "runtime.memmove.abi0"),
    of_runtime("mem.copy", "runtime.memclrNoHeapPointers"),
    of_runtime("mem.copy", "indexbytebody"),
    of_runtime(kTransparent, "runtime.goexit.abi0"),
    of_runtime(kTransparent, "runtime.mstart1"),
    of_runtime("sys.futex", "runtime.futex.abi0"),
    of_runtime("sys.epoll", "runtime.epollwait.abi0"),
    of_runtime("sys.time", "runtime.usleep.abi0"),
    of_runtime("sys.mem", "runtime.sysMmap.abi0"),
    of_runtime("sys.other", "runtime/internal/syscall.Syscall6"),
    of_runtime("sys.other", "internal/runtime/syscall.Syscall6"),  // later releases
    of_runtime("sys.other", "syscall.RawSyscall6"),
    of_runtime("gc.barrier", "runtime.gcWriteBarrierCX"),
    of_runtime("gc.barrier", "runtime.bulkBarrierPreWrite"),
    of_runtime("gc.major", "runtime.scanobject"),
    of_runtime("gc.major", "runtime.gcDrain"),
    of_runtime("gc.major", "runtime.(*gcControllerState).update"),
    of_runtime("alloc.gcheap", "runtime.mallocgc"),
    of_runtime("alloc.gcheap", "runtime.mallocgcSmallNoscan"),  // later releases
    of_runtime("alloc.gcheap", "runtime.(*mheap).allocSpan"),
    of_runtime("lock", "runtime.unlock2"),
    of_runtime("lock", "sync.(*Mutex).Unlock"),
    of_runtime("loop", "runtime.findRunnable"),
    of_runtime("loop", "runtime.exitsyscallfast"),
    of_runtime("loop", "runtime.netpollblock"),
    of_runtime("loop", "runtime.selectgo"),
    of_runtime("loop", "internal/poll.runtime_pollWait"),
    of_runtime("ser.json", "encoding/json.(*encodeState).string"),
    of_runtime("crypto", "crypto/sha256.block"),
    of_runtime("compress", "compress/flate.(*compressor).deflate"),
    of_runtime("regex", "regexp.(*Regexp).doExecute"),
    of_runtime("http.parse", "net/http.readRequest"),
    of_runtime("http.parse", "net/textproto.CanonicalMIMEHeaderKey"),
    of_runtime("http.write", "net/http.(*response).finishRequest"),
    of_runtime("http.write", "net/http.Header.writeSubset"),
    of_runtime("rt.stream", "internal/poll.(*FD).Read"),
    of_runtime("rt.stream", "bufio.(*Writer).Flush"),
    of_runtime("dispatch.call", "runtime.getitab"),
    of_runtime("dispatch.call", "runtime.(*itabTableType).find"),
    of_runtime("rt.string", "strconv.AppendInt"),
    of_runtime("rt.string", "runtime.concatstrings"),
    of_runtime("rt.builtin", "runtime.mapaccess1_faststr"),
    of_runtime("rt.builtin", "time.Now"),
    of_runtime("rt.native", "runtime.findfunc"),
    of_runtime("rt.native", "sync.(*Pool).Get"),
    of_runtime("app.lib", "net/http.serverHandler.ServeHTTP"),
    of_runtime("app.lib", "github.com/gin-gonic/gin.(*Context).Next"),
    of_runtime("app.user", "main.main.func2"),
    of_runtime("app.user", "example.org/shop/cart.Total"),
};

// Every family has its category, and every rule of the file is needed.
TEST(GoRules, Claims) {
  expect_table("go.toml", of_runtime({}, "runtime.mallocgc"), kGo);
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
    of_runtime("interp", "llint_op_call"),
    of_runtime("interp", "op_get_by_id_return_location"),
    of_runtime("interp", "JSC::LLInt::llint_slow_path_get_by_id"),
    of_runtime("gc.barrier", "operationWriteBarrierSlowPath"),
    of_runtime("gc.major", "JSC::SlotVisitor::drain"),
    of_runtime("gc.minor", "JSC::EdenGCActivityCallback::doCollection"),
    of_runtime("alloc.gcheap", "JSC::LocalAllocator::allocateSlowCase"),
    of_runtime("alloc.gcheap", "operationNewObject"),
    of_runtime("gc.other", "JSC::Heap::runEndPhase"),
    of_runtime("jit.deopt", "JSC::DFG::operationCompileOSRExit"),
    of_runtime("jit.deopt", "operationCompileFTLOSRExit"),
    of_runtime("jit.parse", "JSC::Parser<JSC::Lexer<unsigned char>>::parseStatement"),
    of_runtime("jit.compile", "JSC::DFG::ByteCodeParser::parseBlock"),
    of_runtime("jit.compile", "JSC::B3::generate"),
    of_runtime("microtask.drain", "JSC::VM::drainMicrotasks"),
    of_runtime("microtask.promise", "JSC::JSPromise::resolve"),
    of_runtime("dispatch.call", "operationLinkCall"),
    of_runtime("dispatch.call", "vmEntryToJavaScript"),
    of_runtime("dispatch.property", "operationGetByIdOptimize"),
    of_runtime("dispatch.property", "JSC::Structure::get"),
    of_runtime("dispatch.property", "JSC::InlineCacheCompiler::compile"),
    of_runtime("ser.json", "JSC::FastStringifier<unsigned char>::append"),
    of_runtime("regex", "JSC::RegExp::match"),
    of_runtime("rt.string", "JSC::JSRopeString::resolveRope"),
    of_runtime("rt.string", "WTF::StringImpl::createUninitialized"),
    of_runtime("http.parse", "uWS::HttpParser::consumePostPadded"),
    of_runtime("http.write", "uWS::HttpResponse<false>::writeHeader"),
    of_runtime("crypto", "us_internal_ssl_socket_write"),
    of_runtime("loop", "us_loop_run_bun_tick"),
    of_runtime("loop", "uWS::Loop::run"),
    jit("app.user", "fetch"),
    of_runtime("rt.builtin", "operationMapGet"),
    of_runtime("rt.builtin", "JSC::arrayProtoFuncPush"),
    of_runtime("rt.native", "WTF::Vector<int>::append"),
    of_runtime("rt.native", "Bun__fetch"),
};
constexpr ThreadClaim kJscThreads[] = {
    {"gc.other", "HeapHelper"},
    {"jit.compile", "JIT Worklist He"},
    {"rt.native", "JSCWarmUp"},
    {"alloc.native", "mi-scavenger"},
};

// Every family has its category, and every rule of the file is needed.
TEST(JscRules, Claims) {
  expect_table("jsc.toml", of_runtime({}, "JSC::VM::drainMicrotasks"), kJsc, kJscThreads);
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
