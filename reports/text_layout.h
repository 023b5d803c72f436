// Lines, paragraphs and tables of the text report. Every text passes printable() here, and no line
// exceeds the page.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgap {

enum class Emphasis { none, strong, faint, warning };

enum class Align { left, right };

struct TableColumn {
  std::string heading;
  Align align = Align::left;
  std::size_t gap = 2;        // blanks before the column
  std::size_t max_width = 0;  // longer cells are cut; 0: no limit
  bool shrinks = false;  // gives way when the table is too wide for the page; one column of a table
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);

  // Cells beyond those given are empty.
  void add_row(std::vector<std::string> cells, Emphasis emphasis = Emphasis::none);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  friend class Page;
  struct Row {
    std::vector<std::string> cells;
    Emphasis emphasis;
  };
  [[nodiscard]] std::vector<std::size_t> fit(std::size_t width) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& widths) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

class Page {
 public:
  Page(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  // One line, cut in the middle if it is too long.
  void line(std::string_view text, Emphasis emphasis = Emphasis::none);
  // Words wrapped; later lines indented. `lead` is a part of the text that may be emphasised:
  // "Idle:".
  void paragraph(std::string_view lead, std::string_view text, Emphasis emphasis = Emphasis::none);
  // Facts side by side, as many to a line as fit; one that fits no line is wrapped.
  void facts(std::span<const std::string> facts, std::string_view indent = "");
  void table(const Table& table);
  void blank();  // never two in a row, none at the top

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  void put(std::string_view cleaned, Emphasis emphasis = Emphasis::none, std::size_t lead = 0);

  std::size_t width_;
  bool colour_;
  std::string text_;
};

// Words of printable() text in lines of at most `width` columns. A word longer than a line is
// broken; a figure is not parted from its per cent sign.
std::vector<std::string> wrap_words(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace perfgap
