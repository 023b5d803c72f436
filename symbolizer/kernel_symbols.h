// Names of kernel addresses from a kallsyms list: the kernel, its modules and BPF programs.
//
// Of several symbols at one address the last listed holds it, as in perf; code goes before data.
// A symbol reaches up to the next symbol of any type. The last one of a module, or of the kernel,
// has no such end: it reaches to the end of the page after its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfgap {

class KernelSymbols {
 public:
  struct Found {
    std::string_view name;
    std::string_view module;  // "[nf_tables]"; empty for the kernel proper
  };

  KernelSymbols() = default;
  // Lines that are no "ADDRESS TYPE NAME [MODULE]" are skipped.
  explicit KernelSymbols(std::string text);
  // An unreadable file gives no symbols.
  static KernelSymbols load(const std::string& path);

  [[nodiscard]] std::optional<Found> find(std::uint64_t address) const;
  // The list has names but no address: kptr_restrict.
  [[nodiscard]] bool hidden() const { return hidden_; }
  [[nodiscard]] bool empty() const { return symbols_.empty(); }

 private:
  struct Symbol {
    std::uint64_t start;
    std::uint32_t name;    // offsets into text_
    std::uint32_t module;  // 0: none
    std::uint16_t name_size;
    std::uint16_t module_size;
    char type;
  };

  [[nodiscard]] std::string_view name_of(const Symbol& symbol) const;
  [[nodiscard]] std::string_view module_of(const Symbol& symbol) const;

  std::string text_;
  std::vector<Symbol> symbols_;  // ascending by start, the alias that counts last
  bool hidden_ = false;
};

}  // namespace perfgap
