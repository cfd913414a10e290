import GatehouseBase
import GatehouseSystem
import Glibc
import Synchronization
import Testing

/// The path of a Unix socket, which several servers may want.
struct SocketPlaceTests {
  @Test func `a dead socket is replaced, a live one and what is no socket are not`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s"
      close(try boundSocket(at: path))
      let (first, descriptor) = try server(at: path)
      defer { close(descriptor) }
      let socket = try first.take()
      #expect(try FileStatus.at(path)?.isSame(as: socket) == true)
      let (second, other) = try server(at: path)
      defer { close(other) }
      expectFailure(.addressInUse) { try second.requireFree() }
      expectFailure(.addressInUse) { _ = try second.take() }
      #expect(try folder.names == ["s"])
      try first.leave(socket)
      try path.fill("a")
      expectFailure(.notASocket) { try SocketPlace(path).requireFree() }
    }
  }

  @Test func `of two servers that find one dead socket the second takes nothing from the first`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s"
      close(try boundSocket(at: path))
      let (first, descriptor) = try server(at: path)
      defer { close(descriptor) }
      let (second, other) = try server(at: path)
      defer { close(other) }
      // When the second has seen that the socket is dead, and is about to take it away, the first is quicker.
      let taken = Mutex<FileStatus?>(nil), isFirst = Mutex(true)
      let quicker: SystemFaults.Ear = { call, _ in
        guard call == "rename" || call == "unlink", isFirst.withLock({ $0.exchanged(for: false) }) else { return nil }
        let socket = try? first.take()
        taken.withLock { $0 = socket }
        return nil
      }
      expectFailure(.addressInUse) { try SystemFaults.heard(by: quicker) { _ = try second.take() } }
      let found = taken.withLock { $0 }
      let socket = try #require(found)
      #expect(try FileStatus.at(path)?.isSame(as: socket) == true)
      #expect(try folder.names == ["s"])
    }
  }

  /// A server's place, and its socket, which listens.
  private func server(at path: String) throws -> (SocketPlace, Int32) {
    let place = SocketPlace(path)
    let descriptor = try boundSocket(at: place.ownPath)
    try #require(listen(descriptor, 1) == 0)
    return (place, descriptor)
  }
}

extension Bool {
  /// Takes another value, and answers the old one.
  fileprivate mutating func exchanged(for new: Bool) -> Bool {
    defer { self = new }
    return self
  }
}
