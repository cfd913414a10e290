import Glibc

/// The name of a Swift variable as its source has it, such as `lock` or `Cache.lock`, from its mangled name.
struct SwiftVariableName: CustomStringConvertible {
  let description: String

  /// `nil` for other names.
  init?(_ mangled: String) {
    guard mangled.hasPrefix("$s"), let whole = Self.demangled(mangled), let colon = whole.firstRange(of: " : ") else {
      return nil
    }
    // The demangled text is, for example, `static program.Cache.lock : Swift.Int`.
    let path = whole[..<colon.lowerBound].split(separator: " ").last ?? ""
    let parts = path.split(separator: ".")
    guard parts.count > 1 else { return nil }
    description = parts.dropFirst().joined(separator: ".")
  }

  /// Returns the demangled name. `unsafe`: the runtime's demangler is C; it also provides the names of the frames.
  private static func demangled(_ mangled: String) -> String? {
    guard let text = unsafe demangle(mangled, mangled.utf8.count, nil, nil, 0) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}

@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?,
  _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
