// The system's libtesseract as a reader of text: opened at run time, nothing of it is linked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cancel.h"
#include "vision/image.h"
#include "vision/text_lines.h"

namespace lectern::vision {

/// Where Tesseract reads a page's bitmap.
struct TesseractOptions {
  std::string data_directory;  // with LANGUAGE.traineddata
  std::string languages;       // as Tesseract writes them: `eng+deu`
  int dpi;                     // of the bitmap, 70..2400
};

/// One recogniser in memory; the languages it has loaded are kept from call to call. One thread at a time.
///
/// Third-party code over untrusted pixels: only for processes that may crash.
class Tesseract {
 public:
  /// Throws Error `not_found` where no libtesseract 4 or 5 is installed, or one that lacks a function of its C interface.
  Tesseract();
  ~Tesseract();
  Tesseract(const Tesseract&) = delete;
  Tesseract& operator=(const Tesseract&) = delete;

  /// As the library names it: `5.3.0`.
  std::string version() const;

  /// The text of a page that stands upright, blocks in the library's order, pictures left out, and its ruled lines. Throws Error `not_found` where a
  /// language's data cannot be loaded, `cancelled`, `invalid_document` where the library refuses the bitmap.
  ReadPage read(const Bitmap& bitmap, const TesseractOptions& options, const Cancel& cancel);

 private:
  struct Library;
  struct Session;
  std::unique_ptr<Library> library_;
  std::unique_ptr<Session> session_;
};

}  // namespace lectern::vision
