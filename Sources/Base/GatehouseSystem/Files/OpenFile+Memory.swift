import Glibc

extension OpenFile {
  /// Takes over a file that exists only in memory, until it is closed.
  ///
  /// - Parameter make: calls `memfd_create`, which has no name in Swift. Returns -1 and sets `errno` on failure.
  package static func inMemory(named name: String, _ make: () -> Int32) throws(SystemError) -> OpenFile {
    OpenFile(descriptor: try systemCall("memfd_create", name) { make() }, path: name)
  }

  /// A path under which this process can open the file again, even if the file has no name.
  package var descriptorPath: String { "/proc/self/fd/\(descriptor)" }

  /// Copies bytes of another file to the current offset, without reading them into this process. Stops at the other
  /// file's end.
  package borrowing func append(_ range: Range<UInt64>, of other: borrowing OpenFile) throws(SystemError) {
    guard var offset = off_t(exactly: range.lowerBound), let end = off_t(exactly: range.upperBound) else { return }
    while offset < end {
      let (input, output, count) = (other.descriptor, descriptor, Int(end - offset))
      // `unsafe`: the kernel reads and writes the offset, which outlives the call.
      let copied = try systemCall("sendfile", path) { unsafe sendfile(output, input, &offset, count) }
      if copied == 0 { return }
    }
  }
}
