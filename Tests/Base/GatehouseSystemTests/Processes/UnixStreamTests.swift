import GatehouseBase
import GatehouseSystem
import Glibc
import HangGuard
import Testing

/// One request and one answer over a Unix socket.
struct UnixStreamTests {
  @Test func `a request is sent, and its answer received to the end`() async throws {
    try await withListener { path, listener in
      let received = onThread {
        let stream = try UnixStream(path, patience: Double(Watchdog.seconds))
        try stream.send(Array("question".utf8))
        return try stream.receiveAll(limit: 100)
      }
      let peer = accept(listener, nil, nil)
      var question = [UInt8](repeating: 0, count: 8)
      #expect(unsafe recv(peer, &question, 8, Int32(MSG_WAITALL)) == 8)
      #expect(unsafe send(peer, "answer", 6, 0) == 6)
      close(peer)
      let answer = try await received()
      #expect(answer == Array("answer".utf8))
      #expect(question == Array("question".utf8))
    }
  }

  @Test func `an answer beyond the limit is not received`() async throws {
    try await withListener { path, listener in
      let stream = try UnixStream(path, patience: Double(Watchdog.seconds))
      let peer = accept(listener, nil, nil)
      #expect(unsafe send(peer, "answer", 6, 0) == 6)
      close(peer)
      #expect(try stream.receiveAll(limit: 5) == nil)
    }
  }

  @Test func `a server that does not answer meets the deadline`() async throws {
    try await withListener { path, _ in
      let stream = try UnixStream(path, patience: 0.01)
      #expect(throws: SystemError(call: "poll", path: path, number: .timedOut)) { try stream.receiveAll(limit: 5) }
    }
  }

  @Test func `a path where no server listens is refused at once`() async throws {
    try await withTemporaryFolder { folder in
      let error = #expect(throws: SystemError.self) {
        _ = try UnixStream(folder + "/socket", patience: Double(Watchdog.seconds))
      }
      #expect(error?.number == .noSuchFile)
    }
  }

  // MARK: The peer

  @Test(arguments: [true, false])
  func `the peer is this program, by its user, its group and its executable`(hasHandles: Bool) async throws {
    try await withListener { path, listener in
      let stream = try UnixStream(path, patience: Double(Watchdog.seconds))
      let descriptor = accept(listener, nil, nil)
      defer { close(descriptor) }
      let peer = try PeerProcess(of: descriptor, hasHandles: hasHandles)
      #expect((peer.id, peer.user, peer.group) == (getpid(), geteuid(), getegid()))
      #expect(peer.executable == (try CurrentProcess.executable()))
      #expect(peer.groups.count == Int(getgroups(0, nil)))
      try stream.send([0])
    }
  }

  @Test func `a descriptor that is no socket has no peer`() {
    let error = #expect(throws: SystemError.self) { _ = try PeerProcess(of: -1) }
    #expect(error?.number == ErrorNumber(rawValue: EBADF))
  }

  @Test func `without a handle the executable of a connection that is closed is unknown`() async throws {
    try await withListener { path, listener in
      do { _ = try UnixStream(path, patience: Double(Watchdog.seconds)) }
      let descriptor = accept(listener, nil, nil)
      defer { close(descriptor) }
      #expect(try PeerProcess(of: descriptor, hasHandles: false).executable == nil)
    }
  }

  // MARK: A socket of the service manager

  @Test func `a socket for another process, and none, are left alone`() throws {
    func socket(_ variables: [String: String]) throws -> Int32? {
      try ServiceManager.listeningSocket { name in variables[name].map { Array($0.utf8) } }
    }
    #expect(try socket([:]) == nil)
    #expect(try socket(["LISTEN_FDS": "1"]) == nil)
    #expect(try socket(["LISTEN_PID": "1", "LISTEN_FDS": "1"]) == nil)
    #expect(try socket(["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"]) == nil)
    #expect(throws: SystemError.self) { try socket(["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "2"]) }
  }
}

/// A socket that listens, in a folder of its own.
private func withListener(_ body: (_ path: String, _ listener: Int32) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in
    let path = folder + "/socket"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
    }
    try #require(bound == 0 && listen(listener, 8) == 0)
    try await body(path, listener)
  }
}
