import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit
import Testing

/// A provider in a temporary folder that goes with it, under a clock that only the test moves.
///
/// Its password hashes are cheap and its keys small, so that a test takes milliseconds.
final class Scene: Sendable {
  let clock = StandingClock()
  let folder = TemporaryFolder()
  let backend: LocalBackend

  init(_ adjust: (inout LocalOptions) -> Void = { _ in }) {
    backend = .cheap(folder.home, clock, adjust)
  }

  /// Another backend on the same folder and clock.
  func another(_ adjust: (inout LocalOptions) -> Void = { _ in }) -> LocalBackend {
    .cheap(folder.home, clock, adjust)
  }

  @discardableResult
  func signUp(
    _ email: String = "ada@example.com", _ password: String = "correct horse", displayName: String? = nil
  ) async throws -> SignInResponse {
    try await backend.answer(SignUp(email: email, password: Secret(password), displayName: displayName))
  }

  func signUpAnonymously() async throws -> SignInResponse { try await backend.answer(SignUp()) }

  @discardableResult
  func signIn(
    _ email: String = "ada@example.com", _ password: String = "correct horse"
  ) async throws -> SignInResponse {
    try await backend.answer(SignInWithPassword(email: email, password: Secret(password)))
  }

  /// Asks for a message; a sign-in link gets a page to lead to.
  func send(_ type: ActionCodeType, _ set: (inout SendOobCode) -> Void) async throws {
    var call = SendOobCode(type)
    if type == .emailSignIn { call.continueUrl = "http://localhost/app" }
    set(&call)
    _ = try await backend.answer(call)
  }

  func lookUp(_ idToken: Secret) async throws -> Account {
    let users = try await backend.answer(Lookup(idToken: idToken)).users ?? []
    #expect(users.count == 1)
    return try #require(users.first)
  }

  func refresh(_ token: Secret) async throws -> ExchangeRefreshToken.Response {
    try await backend.answer(ExchangeRefreshToken(refreshToken: token))
  }

  func update(_ idToken: Secret, _ change: (inout Update) -> Void) async throws -> Update.Response {
    var call = Update(idToken: idToken)
    change(&call)
    return try await backend.answer(call)
  }
}

extension LocalBackend {
  /// A backend whose password hashes cost next to nothing and whose tokens are signed with ES256.
  static func cheap(
    _ home: String, _ clock: any Clocks = SystemClocks(), signing: LocalOptions.Signing = .es256,
    _ adjust: (inout LocalOptions) -> Void = { _ in }
  ) -> LocalBackend {
    var options = LocalOptions()
    options.clocks = clock
    options.signing = signing
    options.passwordCost = .uncheckedForTests
    options.enumerationProtection = false
    adjust(&options)
    return LocalBackend(directory: home, options: options)
  }
}

/// Clocks that show what they are told.
final class StandingClock: Clocks {
  private let reading = Lock(ClockReading(wall: 1_800_000_000.25, boot: 1000, bootID: "a test"))

  func now() -> ClockReading { reading.withLock { $0 } }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation { AlarmCancellation {} }

  func advance(by seconds: Double) { reading.withLock { $0 = $0.advanced(by: seconds) } }
}

/// A folder that is removed with its owner, and the path of a home in it that does not exist yet.
final class TemporaryFolder: Sendable {
  let path: String
  var home: String { path + "/home" }

  init() {
    // In memory where there is such a place: hundreds of small databases would wait for the disk, for nothing.
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    path = parent + "/gatehouse-local-" + SystemRandomSource().identifier()
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A database that is being closed takes files away of its own, and removal stumbles over that.
    for _ in 1...100 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}

/// Expects that a call is refused with this word of the protocol, and returns the refusal.
@discardableResult
func expectRefusal<Value>(
  _ word: String, at location: SourceLocation = #_sourceLocation, _ call: () async throws -> Value
) async -> AuthError? {
  let error = await #expect(throws: AuthError.self, sourceLocation: location) { _ = try await call() }
  #expect(error?.serverCode == word, sourceLocation: location)
  #expect(error?.code == ServerWord(rawValue: word)?.meaning.code, sourceLocation: location)
  return error
}

/// Expects that a call is refused with this code, and returns the refusal.
@discardableResult
func expectRefusal<Value>(
  _ code: AuthError.Code, at location: SourceLocation = #_sourceLocation, _ call: () async throws -> Value
) async -> AuthError? {
  let error = await #expect(throws: AuthError.self, sourceLocation: location) { _ = try await call() }
  #expect(error?.code == code, sourceLocation: location)
  return error
}
