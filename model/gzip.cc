// gzip in memory: see gzip.h.
#include "model/gzip.h"

#include <algorithm>
#include <new>

namespace perfgap {
namespace {

constexpr int kGzipWindow = 15 + 16;                       // the largest window; + 16: gzip framing
constexpr std::size_t kFeedBytes = std::size_t{64} << 20;  // zlib counts input in 32 bits

// zlib's interface predates const.
Bytef* input(const char* bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
}

}  // namespace

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t size = std::min(bytes.size(), kFeedBytes);
      stream.next_in = input(bytes.data());
      stream.avail_in = static_cast<uInt>(size);
      bytes.remove_prefix(size);
    }
    const std::size_t begin = out.size();
    out.resize(begin + Gunzip::kStepBytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream.avail_out = Gunzip::kStepBytes;
    status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

bool looks_like_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Gunzip::Gunzip(std::string_view bytes) : bytes_(bytes) {
  if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() {
  inflateEnd(&stream_);
}

void Gunzip::feed() {
  const std::size_t size = std::min(bytes_.size() - next_, kFeedBytes);
  stream_.next_in = input(bytes_.data() + next_);
  stream_.avail_in = static_cast<uInt>(size);
  next_ += size;
}

// A gzip file may be several members in a row.
Gunzip::State Gunzip::after_member() {
  const std::string_view rest = bytes_.substr(position());
  if (rest.empty()) return State::end;
  if (!looks_like_gzip(rest)) return State::damaged;
  inflateReset(&stream_);
  return State::more;
}

Gunzip::State Gunzip::next(std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + kStepBytes);
  stream_.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
  stream_.avail_out = kStepBytes;
  if (stream_.avail_in == 0) feed();
  const bool no_input = stream_.avail_in == 0;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  const bool no_output = stream_.avail_out == kStepBytes;
  out.resize(out.size() - stream_.avail_out);
  if (status == Z_STREAM_END) return after_member();
  if (status == Z_OK && !(no_input && no_output)) return State::more;
  if (status == Z_BUF_ERROR || status == Z_OK) return no_input ? State::truncated : State::more;
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  return State::damaged;
}

}  // namespace perfgap
