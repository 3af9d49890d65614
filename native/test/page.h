// Pages made by code: lines of letter-like strokes at any angle, pictures, rulings and noise, for tests and bench.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "vision/image.h"

namespace lectern::test {

/// A number from 0 to `below` - 1, the same on every machine for the same seed.
inline int pick(std::mt19937& random, int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }

/// A bitmap that owns its pixels. Everything drawn is turned around the middle of the page by `degrees`, counter-clockwise.
class Page {
 public:
  Page(int width, int height, double degrees = 0, std::uint8_t paper = 255);

  vision::Bitmap bitmap() const;

  /// For what is drawn next.
  void turn(double degrees);
  /// A filled rectangle, its edges smoothed.
  void rectangle(double left, double top, double right, double bottom, std::uint8_t gray = 0);
  /// Lines of words in a column, letters `size` pixels high without ascender (an x-height).
  void text(double left, double top, double right, double bottom, double size, std::mt19937& random);
  void noise(double deviation, std::mt19937& random);
  /// A share of all pixels becomes black or white.
  void specks(double share, std::mt19937& random);
  /// Darker from left to right, as in the gutter of a book.
  void shade(double most);
  void invert();

 private:
  void letter(double x, double baseline, double size, std::mt19937& random);
  void blend(int x, int y, double coverage, std::uint8_t gray);

  int width_;
  int height_;
  double cosine_ = 1;
  double sine_ = 0;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace lectern::test
