// Lines, paragraphs and tables of the text report.
#include "reports/text_layout.h"

#include <algorithm>
#include <utility>

#include "model/utf8.h"
#include "reports/unicode.h"

namespace perfgap {
namespace {

constexpr std::size_t kTableIndent = 2;
constexpr std::size_t kParagraphIndent = 2;
constexpr std::string_view kFactGap = "   ";
constexpr std::size_t kMostLines = 4;  // of one text; a target's own must not fill the screen

std::string_view colour_code(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::none:
      return "";
    case Emphasis::strong:
      return "\x1b[1m";
    case Emphasis::faint:
      return "\x1b[2m";
    case Emphasis::warning:
      return "\x1b[1;33m";
  }
  return "";
}

void trim_right(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
}

// The longest start of a word that takes at most `width` columns, but at least one character.
std::size_t bytes_within(std::string_view word, std::size_t width) {
  std::size_t end = 0;
  while (end < word.size()) {
    const std::size_t next = end + decode_utf8(word.substr(end)).bytes;
    if (end > 0 && display_width(word.substr(0, next)) > width) break;
    end = next;
  }
  return end;
}

}  // namespace

std::vector<std::string> wrap_words(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;  // columns of the last line
  bool fresh = true;     // no word in it yet
  const auto next_line = [&] {
    lines.emplace_back(indent, ' ');
    used = indent;
    fresh = true;
  };
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    std::size_t end = text.find(' ');
    if (text.substr(std::min(end, text.size())).starts_with(" %")) end = text.find(' ', end + 1);
    std::string_view word = text.substr(0, end);
    text.remove_prefix(word.size());
    if (!fresh && used + 1 + display_width(word) > width) next_line();
    while (fresh && used + display_width(word) > width) {
      const std::size_t part = bytes_within(word, width - used);
      lines.back() += word.substr(0, part);
      word.remove_prefix(part);
      next_line();
    }
    if (!fresh) lines.back() += ' ';
    used += display_width(word) + (fresh ? 0 : 1);
    lines.back() += word;
    fresh = word.empty();
  }
  if (lines.size() > 1 && fresh) lines.pop_back();
  return lines;
}

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (TableColumn& column : columns_) column.heading = printable(column.heading);
}

void Table::add_row(std::vector<std::string> cells, Emphasis emphasis) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = printable(cells[i]);
    if (columns_[i].max_width > 0) cells[i] = elide_middle(cells[i], columns_[i].max_width);
  }
  rows_.push_back({std::move(cells), emphasis});
}

std::vector<std::size_t> Table::fit(std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size());
  std::size_t total = kTableIndent;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths[i] = display_width(columns_[i].heading);
    for (const Row& row : rows_) widths[i] = std::max(widths[i], display_width(row.cells[i]));
    total += widths[i] + (i == 0 ? 0 : columns_[i].gap);
  }
  for (std::size_t i = 0; i < columns_.size() && total > width; ++i) {
    if (!columns_[i].shrinks) continue;
    const std::size_t excess =
        std::min(total - width, widths[i] - std::min<std::size_t>(widths[i], 8));
    widths[i] -= excess;
    total -= excess;
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string line(kTableIndent, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(columns_[i].gap, ' ');
    const std::string cell = elide_middle(cells[i], widths[i]);
    const std::size_t padding = widths[i] - display_width(cell);
    if (columns_[i].align == Align::right) line.append(padding, ' ');
    line += cell;
    if (columns_[i].align == Align::left) line.append(padding, ' ');
  }
  trim_right(line);
  return line;
}

void Page::put(std::string_view cleaned, Emphasis emphasis, std::size_t lead) {
  const std::string_view code = colour_ ? colour_code(emphasis) : "";
  if (code.empty()) {
    text_ += cleaned;
  } else {
    const std::size_t end = lead == 0 ? cleaned.size() : lead;
    text_ += code;
    text_ += cleaned.substr(0, end);
    text_ += "\x1b[0m";
    text_ += cleaned.substr(end);
  }
  text_ += '\n';
}

void Page::line(std::string_view text, Emphasis emphasis) {
  put(elide_middle(printable(text), width_), emphasis);
}

void Page::paragraph(std::string_view lead, std::string_view text, Emphasis emphasis) {
  const std::string cleaned =
      elide_middle(printable(std::string(lead) + std::string(text)), kMostLines * width_);
  bool first = true;
  for (const std::string& line : wrap_words(cleaned, width_, kParagraphIndent)) {
    put(line, first ? emphasis : Emphasis::none, std::min(lead.size(), line.size()));
    first = false;
  }
}

void Page::facts(std::span<const std::string> facts, std::string_view indent) {
  std::string line(indent);
  bool fresh = true;
  const auto finish = [&] {
    if (!fresh) put(line);
    line = indent;
    fresh = true;
  };
  for (const std::string& fact : facts) {
    if (fact.empty()) continue;
    const std::string cleaned = elide_middle(printable(fact), kMostLines * width_);
    const std::size_t gap = fresh ? 0 : kFactGap.size();
    if (display_width(line) + gap + display_width(cleaned) > width_) finish();
    if (indent.size() + display_width(cleaned) > width_) {
      for (const std::string& part :
           wrap_words(cleaned, width_ - indent.size(), kParagraphIndent)) {
        put(std::string(indent) + part);
      }
      continue;
    }
    if (!fresh) line += kFactGap;
    line += cleaned;
    fresh = false;
  }
  finish();
}

void Page::table(const Table& table) {
  const std::vector<std::size_t> widths = table.fit(width_);
  std::vector<std::string> headings;
  for (const TableColumn& column : table.columns_) headings.push_back(column.heading);
  put(elide_middle(table.line(headings, widths), width_), Emphasis::faint);
  for (const Table::Row& row : table.rows_) {
    put(elide_middle(table.line(row.cells, widths), width_), row.emphasis);
  }
}

void Page::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

}  // namespace perfgap
