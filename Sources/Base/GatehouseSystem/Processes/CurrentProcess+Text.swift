import Glibc

// The program's arguments and environment, byte for byte: Swift and Foundation replace bytes that are not UTF-8.
extension CurrentProcess {
  /// The arguments; the first one is the program's name.
  package static var arguments: [[UInt8]] {
    // `unsafe`: the strings come from the kernel, end with a zero byte, and live as long as the program.
    (0..<Int(CommandLine.argc)).compactMap { unsafe CommandLine.unsafeArgv[$0].map { unsafe bytes(of: $0) } }
  }

  /// The value of an environment variable.
  package static func variable(_ name: String) -> [UInt8]? {
    // `unsafe`: the bytes are copied immediately; this program never changes its environment.
    unsafe getenv(name).map { unsafe bytes(of: $0) }
  }

  /// The environment's entries, `NAME=value`.
  package static var environment: [[UInt8]] {
    // Swift considers C's global variable `environ` unsafe shared state.
    guard let symbol = unsafe dlsym(nil, "environ") else { return [] }
    // `unsafe`: the type is that of the variable, the array ends with a null pointer, each string ends with a zero
    // byte, and this program never changes its environment.
    guard var entry = unsafe symbol.load(as: UnsafePointer<UnsafePointer<CChar>?>?.self) else { return [] }
    var entries: [[UInt8]] = []
    while let text = unsafe entry.pointee {
      entries.append(unsafe bytes(of: text))
      unsafe entry += 1
    }
    return entries
  }

  private static func bytes(of start: UnsafePointer<CChar>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
  }
}
