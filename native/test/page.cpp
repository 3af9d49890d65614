// The drawing: rectangles sampled 4 x 4 per pixel, everything else made of them.
#include "page.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lectern::test {

Page::Page(int width, int height, double degrees, std::uint8_t paper)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4, paper) {
  turn(degrees);
}

vision::Bitmap Page::bitmap() const { return {pixels_.data(), width_, height_, static_cast<std::size_t>(width_) * 4}; }

void Page::turn(double degrees) {
  cosine_ = std::cos(degrees * std::numbers::pi / 180);
  sine_ = std::sin(degrees * std::numbers::pi / 180);
}

void Page::blend(int x, int y, double coverage, std::uint8_t gray) {
  std::uint8_t* pixel = &pixels_[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 4];
  const auto value = static_cast<std::uint8_t>(std::lround(pixel[0] + (gray - pixel[0]) * coverage));
  pixel[0] = pixel[1] = pixel[2] = value;
}

void Page::rectangle(double left, double top, double right, double bottom, std::uint8_t gray) {
  const double middle_x = width_ / 2.0;
  const double middle_y = height_ / 2.0;
  double low_x = 1e9, high_x = -1e9, low_y = 1e9, high_y = -1e9;
  for (const double x : {left - middle_x, right - middle_x}) {
    for (const double y : {top - middle_y, bottom - middle_y}) {
      // Counter-clockwise as seen, with y downwards.
      const double turned_x = x * cosine_ + y * sine_ + middle_x;
      const double turned_y = -x * sine_ + y * cosine_ + middle_y;
      low_x = std::min(low_x, turned_x);
      high_x = std::max(high_x, turned_x);
      low_y = std::min(low_y, turned_y);
      high_y = std::max(high_y, turned_y);
    }
  }
  for (int y = std::max(0, static_cast<int>(low_y)); y < std::min<double>(height_, high_y); ++y) {
    for (int x = std::max(0, static_cast<int>(low_x)); x < std::min<double>(width_, high_x); ++x) {
      int inside = 0;
      for (int sample = 0; sample < 16; ++sample) {
        const double seen_x = x + (sample % 4 + 0.5) / 4 - middle_x;
        const double seen_y = y + (sample / 4 + 0.5) / 4 - middle_y;
        const double page_x = seen_x * cosine_ - seen_y * sine_ + middle_x;
        const double page_y = seen_x * sine_ + seen_y * cosine_ + middle_y;
        inside += page_x >= left && page_x < right && page_y >= top && page_y < bottom;
      }
      if (inside > 0) blend(x, y, inside / 16.0, gray);
    }
  }
}

void Page::letter(double x, double baseline, double size, std::mt19937& random) {
  // Stems and bars of a made-up alphabet; a fifth of the letters rises, a seventh goes below the baseline.
  const double stroke = size * 0.17;
  const double right = x + size * 0.85;
  const int shape = pick(random, 1 << 30);
  const double top = baseline - size * (shape % 5 == 0 ? 1.5 : 1.0);
  const double foot = baseline + size * (shape % 7 == 0 ? 0.45 : 0.0);
  rectangle(x, top, x + stroke, foot);
  if (shape & 0x100) rectangle(right - stroke, baseline - size, right, baseline);
  if (shape & 0x200) rectangle(x, baseline - stroke, right, baseline);
  if (shape & 0x400) rectangle(x, baseline - size, right, baseline - size + stroke);
  if (shape & 0x800) rectangle(x, baseline - size * 0.6, right, baseline - size * 0.6 + stroke);
}

void Page::text(double left, double top, double right, double bottom, double size, std::mt19937& random) {
  for (double baseline = top + 2 * size; baseline < bottom; baseline += size * 2.6) {
    // The last line of a paragraph is short now and then.
    const double end = pick(random, 5) == 0 ? left + (right - left) * 0.4 : right;
    double x = left;
    while (x + 6 * size < end) {
      const int letters = 1 + pick(random, 9);
      for (int i = 0; i < letters && x + size < end; ++i) {
        letter(x, baseline, size, random);
        x += size * 1.1;
      }
      x += size * 0.6;
    }
  }
}

void Page::noise(double deviation, std::mt19937& random) {
  std::normal_distribution<double> normal(0, deviation);
  for (std::size_t i = 0; i < pixels_.size(); i += 4) {
    const double value = std::clamp(pixels_[i] + normal(random), 0.0, 255.0);
    pixels_[i] = pixels_[i + 1] = pixels_[i + 2] = static_cast<std::uint8_t>(value);
  }
}

void Page::specks(double share, std::mt19937& random) {
  const auto count = static_cast<std::size_t>(share * width_ * height_);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t* pixel = &pixels_[random() % (pixels_.size() / 4) * 4];
    pixel[0] = pixel[1] = pixel[2] = pick(random, 2) == 0 ? 0 : 255;
  }
}

void Page::shade(double most) {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) blend(x, y, most * x / width_, 0);
  }
}

void Page::invert() {
  for (std::size_t i = 0; i < pixels_.size(); i += 4) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      pixels_[i + channel] = static_cast<std::uint8_t>(255 - pixels_[i + channel]);
    }
  }
}

}  // namespace lectern::test
