import Glibc

/// The mangled name of a Swift variable, as its source has it: `lock`, `Cache.lock`.
struct SwiftVariableName: CustomStringConvertible {
  let description: String

  /// Nil for other names.
  init?(_ mangled: String) {
    guard mangled.hasPrefix("$s"), let whole = Self.demangled(mangled), let colon = whole.firstRange(of: " : ") else {
      return nil
    }
    // `static program.Cache.lock : Swift.Int`
    let path = whole[..<colon.lowerBound].split(separator: " ").last ?? ""
    let parts = path.split(separator: ".")
    guard parts.count > 1 else { return nil }
    description = parts.dropFirst().joined(separator: ".")
  }

  /// `unsafe`: the runtime's demangler, which frames have their names from as well, is C.
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
