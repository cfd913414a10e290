import Glibc

extension Terminal {
  /// Asks for a line, which is shown as it is typed. The keys do what they do by default.
  ///
  /// - Returns: the line with its end; without one when the input was ended.
  package func line(_ question: String) throws(SystemError) -> [UInt8] {
    var bytes = Array(question.utf8)[...]
    while !bytes.isEmpty {
      // `unsafe`: the pointer is used for this call, and the kernel reads at most the buffer's count.
      bytes = try bytes.dropFirst(
        systemCall("write", Self.path) {
          unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        })
    }
    return try readLine()
  }
}
