import GatehouseBase
public import IdentityToolkit

/// The contract of `Backend`, as checks that a test runs on an implementation:
///
///     @Test(arguments: BackendContract.all)
///     func `my backend keeps the contract`(_ check: BackendContract.Check) async throws {
///       try await check.run { MyBackend() }
///     }
///
/// The accounts need not be empty, because every check uses new addresses. The checks create, change and delete
/// accounts, and leave some behind, so do not run them on a provider with real users.
///
/// A check throws `Violation` if the contract is broken, and passes on the backend's errors. A check of a backend that
/// never answers does not end, so give the test a time limit.
public enum BackendContract {
  /// A sentence of the contract that a backend broke.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The expected and the actual behavior.
    public let description: String
  }

  /// One sentence of the contract.
  public struct Check: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (any Backend) async throws -> Void

    public var description: String { name }

    /// Runs the check on the backend that `make` returns.
    public func run(_ make: () async throws -> any Backend) async throws { try await body(try await make()) }
  }

  /// One sentence of the contract that also needs an administrator.
  public struct AdministeredCheck: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (any Backend, Administration) async throws -> Void

    public var description: String { name }

    /// Runs the check on a backend.
    ///
    /// - Parameters:
    ///   - backend: the backend to check.
    ///   - setDisabled: disables or enables an account.
    ///   - revoke: ends every session of an account.
    public func run(
      _ backend: any Backend, setDisabled: @escaping @Sendable (_ uid: String, Bool) async throws -> Void,
      revoke: @escaping @Sendable (_ uid: String) async throws -> Void
    ) async throws { try await body(backend, Administration(setDisabled: setDisabled, revoke: revoke)) }
  }

  struct Administration: Sendable {
    let setDisabled: @Sendable (_ uid: String, Bool) async throws -> Void
    let revoke: @Sendable (_ uid: String) async throws -> Void
  }
}

// MARK: The parts of the checks

extension BackendContract {
  /// A person without an account.
  struct Person: Sendable {
    let email = "ada-\(SystemRandomSource().identifier())@example.org"
    let password = somethingSecret()
  }

  /// Returns a password or token that no account has.
  static func somethingSecret() -> Secret { Secret("correct horse \(SystemRandomSource().identifier())") }

  static func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: what()) }
  }

  static func expect(_ text: String?, isExactly other: String?, _ what: String) throws {
    let isSame = if let text, let other { text.isExactly(other) } else { text == nil && other == nil }
    try expect(isSame, "\(what) should be \(other ?? "nothing"), and is \(text ?? "nothing")")
  }

  static func outcome<C: Call>(of call: C, by backend: any Backend) async -> Result<C.Response, AuthError> {
    do throws(AuthError) { return .success(try await backend.answer(call)) } catch { return .failure(error) }
  }

  /// Expects a refusal with one of these codes, or with any if none is named. The error must not contain a secret of
  /// the call.
  @discardableResult
  static func expectRefusal<C: Call>(
    of call: C, by backend: any Backend, with codes: [AuthError.Code] = [], _ what: String
  ) async throws -> AuthError {
    guard case .failure(let error) = await outcome(of: call, by: backend) else {
      throw Violation(description: "\(what) should be refused, and was answered")
    }
    let said = [error.message, error.email ?? "", error.serverCode ?? ""].joined(separator: " ")
    for secret in Mirror(reflecting: call).children.compactMap({ $0.value as? Secret }) where !secret.isEmpty {
      try expect(!said.contains(secret.revealed), "the refusal of \(what) tells a password or a token")
    }
    let names = codes.map { "\($0)" }.joined(separator: " or ")
    try expect(
      codes.isEmpty || codes.contains(error.code), "\(what) should be refused with \(names), and was: \(error)")
    return error
  }
}

extension Secret {
  fileprivate var isEmpty: Bool { revealed.isEmpty }
}

extension Backend {
  func signUp(_ person: BackendContract.Person) async throws(AuthError) -> SignInResponse {
    try await answer(SignUp(email: person.email, password: person.password))
  }

  func signIn(_ person: BackendContract.Person) async throws(AuthError) -> SignInResponse {
    try await answer(SignInWithPassword(email: person.email, password: person.password))
  }

  func refresh(_ token: Secret) async throws(AuthError) -> ExchangeRefreshToken.Response {
    try await answer(ExchangeRefreshToken(refreshToken: token))
  }

  /// Returns the account that an ID token belongs to.
  func account(_ idToken: Secret) async throws -> Account {
    let users = try await answer(Lookup(idToken: idToken)).users ?? []
    guard let account = users.first, users.count == 1 else {
      throw BackendContract.Violation(description: "a lookup should answer one account, and answers \(users.count)")
    }
    return account
  }
}
