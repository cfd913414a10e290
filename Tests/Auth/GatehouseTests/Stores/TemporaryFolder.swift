import Foundation
import Gatehouse
import GatehouseBase
import GatehouseSystem
import Glibc
import Testing

/// Runs `body` with the path of a folder of its own, which is removed afterwards.
func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let path = NSTemporaryDirectory() + "gatehouse-test-" + SystemRandomSource().identifier()
  try OpenFolder.make(path)
  defer { try? FileManager.default.removeItem(atPath: path) }
  try await body(path)
}

extension String {
  /// The names in the folder at this path, in order.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: self).sorted() } }

  /// The bytes of the file at this path.
  var contents: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: self)) } }

  /// The permission bits of what is at this path.
  var mode: Int {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: self)
      return attributes[.posixPermissions] as? Int ?? -1
    }
  }

  func setMode(_ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self)
  }

  /// Writes a file as a careless program does: in place, for its owner only.
  func fill(_ data: Data) throws {
    try data.write(to: URL(fileURLWithPath: self))
    try setMode(0o600)
  }

  func fill(_ text: String) throws { try fill(Data(text.utf8)) }
}

extension StoredSession {
  /// A session for tests. Its secrets are recognized by `isLeaked`.
  static func sample(_ id: String = "a", generation: UInt64 = 1) -> StoredSession {
    StoredSession(
      session: id, generation: generation, profile: UserProfile(uid: "uid-\(id)"),
      tokens: SessionTokens(
        idToken: Secret("SECRET-id-\(id)"), refreshToken: Secret("SECRET-refresh-\(id)"), lifetimeSeconds: 3600,
        received: ClockReading(wall: 1_800_000_000, boot: 1000, bootID: "boot")))
  }
}

/// Whether an error shows a secret of a sample session.
func isLeaked(in error: AuthError) -> Bool {
  var dumped = ""
  dump(error, to: &dumped)
  return (dumped + "\(error)" + error.message).contains("SECRET")
}

/// Expects a refusal of one kind that shows no secret, and answers it.
@discardableResult
func expectError<T>(
  _ code: AuthError.Code, at location: SourceLocation = #_sourceLocation, _ body: () async throws -> T
) async -> AuthError? {
  let error = await #expect(throws: AuthError.self, sourceLocation: location) { _ = try await body() }
  #expect(error?.code == code, sourceLocation: location)
  #expect(error.map(isLeaked) == false, sourceLocation: location)
  return error
}
