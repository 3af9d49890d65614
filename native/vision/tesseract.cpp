// The needed part of Tesseract's C interface (capi.h of versions 4 and 5), and the recognition of a page with it.
#include "vision/tesseract.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>

#include "error.h"

namespace lectern::vision {
namespace {

// Enumerators of capi.h.
constexpr int legacy_never = 1;  // OEM_LSTM_ONLY
constexpr int page_automatic = 3;  // PSM_AUTO
constexpr int level_line = 2;      // RIL_TEXTLINE
constexpr int level_word = 3;      // RIL_WORD

constexpr std::array<const char*, 4> library_names = {"libtesseract.so.5", "libtesseract.so.4", "libtesseract.so", "libtesseract.5.dylib"};

struct CloseLibrary {
  void operator()(void* handle) const { dlclose(handle); }
};

/// Luminance by ITU-R BT.601.
GreyImage grey_of(const Bitmap& bitmap) {
  GreyImage grey{bitmap.width, bitmap.height, {}};
  grey.pixels.resize(static_cast<std::size_t>(bitmap.width) * static_cast<std::size_t>(bitmap.height));
  std::size_t at = 0;
  for (int y = 0; y < bitmap.height; ++y) {
    const std::uint8_t* pixel = bitmap.row(y);
    for (int x = 0; x < bitmap.width; ++x, pixel += 4) {
      grey.pixels[at++] = static_cast<std::uint8_t>((pixel[0] * 299u + pixel[1] * 587u + pixel[2] * 114u + 500u) / 1000u);
    }
  }
  return grey;
}

}  // namespace

struct Tesseract::Library {
  struct Api;
  struct Monitor;
  struct ResultIterator;
  struct PageIterator;

  Library() : handle(open()) {
    find(version, "TessVersion");
    find(delete_text, "TessDeleteText");
    find(create, "TessBaseAPICreate");
    find(destroy, "TessBaseAPIDelete");
    find(init, "TessBaseAPIInit2");
    find(end, "TessBaseAPIEnd");
    find(set_variable, "TessBaseAPISetVariable");
    find(set_page_mode, "TessBaseAPISetPageSegMode");
    find(set_image, "TessBaseAPISetImage");
    find(set_resolution, "TessBaseAPISetSourceResolution");
    find(recognise, "TessBaseAPIRecognize");
    find(clear, "TessBaseAPIClear");
    find(results, "TessBaseAPIGetIterator");
    find(monitor_create, "TessMonitorCreate");
    find(monitor_delete, "TessMonitorDelete");
    find(monitor_set_cancel, "TessMonitorSetCancelFunc");
    find(monitor_set_this, "TessMonitorSetCancelThis");
    find(results_delete, "TessResultIteratorDelete");
    find(page_of, "TessResultIteratorGetPageIterator");
    find(next, "TessResultIteratorNext");
    find(text, "TessResultIteratorGetUTF8Text");
    find(confidence, "TessResultIteratorConfidence");
    find(begins, "TessPageIteratorIsAtBeginningOf");
    find(box, "TessPageIteratorBoundingBox");
    find(baseline, "TessPageIteratorBaseline");
  }

  static void* open() {
    for (const char* name : library_names) {
      if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    }
    throw Error(ErrorCode::not_found, "Tesseract is not installed: no libtesseract was found (Debian: libtesseract5 and tesseract-ocr-eng).");
  }

  template <class Function>
  void find(Function*& function, const char* name) {
    void* symbol = dlsym(handle.get(), name);
    if (symbol == nullptr) throw Error(ErrorCode::not_found, std::string("The installed libtesseract lacks ") + name + ".");
    function = reinterpret_cast<Function*>(symbol);
  }

  std::unique_ptr<void, CloseLibrary> handle;
  const char* (*version)() = nullptr;
  void (*delete_text)(const char*) = nullptr;
  Api* (*create)() = nullptr;
  void (*destroy)(Api*) = nullptr;
  int (*init)(Api*, const char* data_directory, const char* languages, int engine) = nullptr;
  void (*end)(Api*) = nullptr;
  int (*set_variable)(Api*, const char* name, const char* value) = nullptr;
  void (*set_page_mode)(Api*, int) = nullptr;
  void (*set_image)(Api*, const unsigned char*, int width, int height, int bytes_per_pixel, int bytes_per_line) = nullptr;
  void (*set_resolution)(Api*, int) = nullptr;
  int (*recognise)(Api*, Monitor*) = nullptr;
  void (*clear)(Api*) = nullptr;
  ResultIterator* (*results)(Api*) = nullptr;
  Monitor* (*monitor_create)() = nullptr;
  void (*monitor_delete)(Monitor*) = nullptr;
  void (*monitor_set_cancel)(Monitor*, bool (*)(void*, int)) = nullptr;
  void (*monitor_set_this)(Monitor*, void*) = nullptr;
  void (*results_delete)(ResultIterator*) = nullptr;
  PageIterator* (*page_of)(ResultIterator*) = nullptr;
  int (*next)(ResultIterator*, int level) = nullptr;
  char* (*text)(const ResultIterator*, int level) = nullptr;
  float (*confidence)(const ResultIterator*, int level) = nullptr;
  int (*begins)(const PageIterator*, int level) = nullptr;
  int (*box)(const PageIterator*, int level, int* left, int* top, int* right, int* bottom) = nullptr;
  int (*baseline)(const PageIterator*, int level, int* x1, int* y1, int* x2, int* y2) = nullptr;
};

/// The library with its languages loaded.
struct Tesseract::Session {
  Session(const Library& functions, const TesseractOptions& options)
      : library(functions), data_directory(options.data_directory), languages(options.languages), api(functions.create()) {
    // Its messages would go to standard error.
    library.set_variable(api, "debug_file", "/dev/null");
    if (library.init(api, data_directory.c_str(), languages.c_str(), legacy_never) == 0) {
      library.set_variable(api, "debug_file", "/dev/null");
      return;
    }
    library.destroy(api);
    throw Error(ErrorCode::not_found, "Tesseract has no data for " + languages + ".");
  }
  ~Session() {
    library.end(api);
    library.destroy(api);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool serves(const TesseractOptions& options) const { return languages == options.languages && data_directory == options.data_directory; }

  std::vector<ReadLine> lines() const;

  const Library& library;
  const std::string data_directory;
  const std::string languages;
  Library::Api* const api;
};

std::vector<ReadLine> Tesseract::Session::lines() const {
  std::vector<ReadLine> found;
  const std::unique_ptr<Library::ResultIterator, void (*)(Library::ResultIterator*)> results(library.results(api), library.results_delete);
  if (!results) return found;  // a page without text
  const Library::PageIterator* place = library.page_of(results.get());
  do {
    if (library.begins(place, level_line) || found.empty()) {
      int x1 = 0, y1 = 0, x2 = 0, y2 = 0;
      library.baseline(place, level_line, &x1, &y1, &x2, &y2);
      found.push_back({{}, static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2), static_cast<float>(y2)});
    }
    const std::unique_ptr<const char, void (*)(const char*)> text(library.text(results.get(), level_word), library.delete_text);
    PixelBox box{};
    if (!text || *text == '\0' || !library.box(place, level_word, &box.left, &box.top, &box.right, &box.bottom)) continue;
    found.back().words.push_back({text.get(), box, library.confidence(results.get(), level_word) / 100.0f});
  } while (library.next(results.get(), level_word));
  std::erase_if(found, [](const ReadLine& line) { return line.words.empty(); });
  return found;
}

Tesseract::Tesseract() : library_(std::make_unique<Library>()) {}
Tesseract::~Tesseract() = default;

std::string Tesseract::version() const { return library_->version(); }

ReadPage Tesseract::read(const Bitmap& bitmap, const TesseractOptions& options, const Cancel& cancel) {
  if (!session_ || !session_->serves(options)) {
    session_.reset();
    session_ = std::make_unique<Session>(*library_, options);
  }
  const GreyImage grey = grey_of(bitmap);
  ReadPage page{{}, find_rulings(grey, options.dpi, cancel)};
  const Library& library = *library_;
  library.set_page_mode(session_->api, page_automatic);
  library.set_image(session_->api, grey.pixels.data(), bitmap.width, bitmap.height, 1, bitmap.width);
  library.set_resolution(session_->api, options.dpi);
  const std::unique_ptr<Library::Monitor, void (*)(Library::Monitor*)> monitor(library.monitor_create(), library.monitor_delete);
  library.monitor_set_this(monitor.get(), const_cast<Cancel*>(&cancel));
  library.monitor_set_cancel(monitor.get(), [](void* flag, int) { return static_cast<const Cancel*>(flag)->requested(); });
  const int refused = library.recognise(session_->api, monitor.get());
  // Clears the bitmap and what the library has adapted to, so that neither reaches the next page.
  const auto forget = [&] { library.clear(session_->api); };
  if (cancel.requested() || refused != 0) forget();
  cancel.check();
  if (refused != 0) throw Error(ErrorCode::invalid_document, "Tesseract cannot read this page.");
  page.lines = session_->lines();
  forget();
  return page;
}

}  // namespace lectern::vision
