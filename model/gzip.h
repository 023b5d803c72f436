// gzip in memory: deterministic when writing, in bounded steps and tolerant of a missing tail when
// reading.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgap {

// Equal bytes in give equal bytes out: the header carries no time and no name.
std::string gzip(std::string_view bytes);

[[nodiscard]] bool looks_like_gzip(std::string_view bytes);

class Gunzip {
 public:
  enum class State {
    more,       // a step was unpacked, more may follow
    end,        // the file ended where it should
    truncated,  // the file ended too early; what could be unpacked was
    damaged,    // what follows cannot be unpacked
  };

  // `bytes` must outlive this object.
  explicit Gunzip(std::string_view bytes);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // Appends the next step, at most `kStepBytes`.
  State next(std::string& out);
  // Bytes of the file read so far.
  [[nodiscard]] std::size_t position() const { return next_ - stream_.avail_in; }

  static constexpr std::size_t kStepBytes = std::size_t{256} << 10;

 private:
  State after_member();
  void feed();

  std::string_view bytes_;
  std::size_t next_ = 0;  // first byte that zlib has not been given
  z_stream stream_{};
};

}  // namespace perfgap
