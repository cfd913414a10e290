public import GatehouseBase
public import IdentityToolkit

extension BackendContract {
  /// The tools that a check needs besides a backend. Set those that your tests have, and run the checks that need them.
  public struct Equipment: Sendable {
    /// Returns the code of the latest message to an address, as its reader finds it in the link.
    public var code: (@Sendable (_ email: String) async throws -> Secret)?
    /// Returns the code of the latest text to a phone.
    public var textCode: (@Sendable (_ phoneNumber: String) async throws -> Secret)?
    /// Returns a number that no account has, in E.164 form. By default a random number of North America.
    public var newPhoneNumber: @Sendable () async throws -> String = {
      "+1\(Int.random(in: 201...989))555\(Int.random(in: 1000...9999))"
    }
    /// Returns a credential of an identity provider that the backend trusts. The same name always yields the same user.
    public var identity: (@Sendable (_ name: String) async throws -> IdentityCredential)?
    /// Returns a token that a server of the project has signed for a user.
    public var customToken: (@Sendable (_ uid: String) async throws -> Secret)?
    /// The identifier of a tenant of the project, where users sign up with passwords.
    public var tenant: String?
    /// The backend's time, in seconds since 1970, from which authenticator apps compute passwords. The system's time by
    /// default.
    public var now: @Sendable () -> Double = { SystemClocks().wall }

    /// Makes equipment with nothing set.
    public init() {}
  }

  /// One sentence of the contract that needs equipment; the array that contains it says which.
  public struct EquippedCheck: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (any Backend, Equipment) async throws -> Void

    public var description: String { name }

    /// Runs the check on a backend. Also throws `Violation` if the required equipment is missing.
    public func run(_ backend: any Backend, with equipment: Equipment) async throws {
      try await body(backend, equipment)
    }
  }
}

// MARK: Use by the checks

extension BackendContract.Equipment {
  func code(for email: String) async throws -> Secret { try await Self.needed(code, "code")(email) }
  func textCode(for number: String) async throws -> Secret { try await Self.needed(textCode, "textCode")(number) }
  func identity(of name: String) async throws -> IdentityCredential {
    try await Self.needed(identity, "identity")(name)
  }
  func customToken(for uid: String) async throws -> Secret { try await Self.needed(customToken, "customToken")(uid) }
  func knownTenant() throws -> String { try Self.needed(tenant, "tenant") }

  private static func needed<Tool>(_ tool: Tool?, _ name: String) throws -> Tool {
    guard let tool else {
      throw BackendContract.Violation(description: "this check needs Equipment.\(name), which is not set")
    }
    return tool
  }
}
