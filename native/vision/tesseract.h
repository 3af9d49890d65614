// Recognises text by the system's libtesseract, which is opened at run time and not linked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cancel.h"
#include "vision/image.h"
#include "vision/text_lines.h"

namespace lectern::vision {

/// The options of a recognition by Tesseract.
struct TesseractOptions {
  std::string data_directory;  // holds LANGUAGE.traineddata
  std::string languages;       // in Tesseract's notation: `eng+deu`
  int dpi;                     // of the bitmap, 70..2400
};

/// One recogniser in memory. It keeps its loaded languages from call to call. Not safe for concurrent use.
///
/// This is third-party code over untrusted pixels: use it only in processes that may crash.
class Tesseract {
 public:
  /// Throws Error `not_found` if no libtesseract 4 or 5 is installed, or if it lacks a function of the C interface.
  Tesseract();
  ~Tesseract();
  Tesseract(const Tesseract&) = delete;
  Tesseract& operator=(const Tesseract&) = delete;

  /// The library's version: `5.3.0`.
  std::string version() const;

  /// The text of an upright page, blocks in the library's order, without pictures, and its ruled lines. Throws Error `not_found` if a
  /// language's data cannot be loaded, `cancelled`, `invalid_document` if the library refuses the bitmap.
  ReadPage read(const Bitmap& bitmap, const TesseractOptions& options, const Cancel& cancel);

 private:
  struct Library;
  struct Session;
  std::unique_ptr<Library> library_;
  std::unique_ptr<Session> session_;
};

}  // namespace lectern::vision
