import CGatehouseQRCode

/// A QR code (ISO/IEC 18004): a square of dark and light modules.
struct QRCode: Sendable {
  /// The number of modules on each side.
  let width: Int
  /// The modules, row by row.
  private let isDark: [Bool]

  /// Makes the smallest code for a text, with the lowest error correction (level L). A screen has no stains, and fewer
  /// modules are larger ones.
  ///
  /// - Returns: `nil` for a text of more than 2,953 bytes, which no code can hold.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let count = Int32(exactly: bytes.count), count > 0 else { return nil }
    // `unsafe`: the library reads `count` bytes and keeps no pointer to them. The code that it returns is freed here,
    // and has `width * width` bytes of data.
    let made = unsafe bytes.withUnsafeBufferPointer { unsafe QRcode_encodeData(count, $0.baseAddress, 0, QR_ECLEVEL_L) }
    guard let code = unsafe made else { return nil }
    defer { unsafe QRcode_free(code) }
    let width = unsafe Int(code.pointee.width)
    let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    self.width = width
    // The lowest bit is the module's color; the other bits say what the module is for.
    isDark = unsafe data.map { $0 & 1 == 1 }
  }

  /// Whether a module is dark. Outside of the code everything is light.
  func isDark(_ column: Int, _ row: Int) -> Bool {
    guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
    return isDark[row * width + column]
  }
}
