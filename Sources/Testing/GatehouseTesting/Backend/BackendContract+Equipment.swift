public import GatehouseBase
public import IdentityToolkit

extension BackendContract {
  /// What a check needs beside a backend. Set what your tests have, and run the checks that need it.
  public struct Equipment: Sendable {
    /// Answers the code of the latest message to an address, as its reader finds it in the link.
    public var code: (@Sendable (_ email: String) async throws -> Secret)?
    /// Answers the code of the latest text to a phone.
    public var textCode: (@Sendable (_ phoneNumber: String) async throws -> Secret)?
    /// Answers a number that no account has, as E.164 writes it. Random numbers of North America unless set otherwise.
    public var newPhoneNumber: @Sendable () async throws -> String = {
      "+1\(Int.random(in: 201...989))555\(Int.random(in: 1000...9999))"
    }
    /// Answers a credential of an identity provider that the backend trusts: for one name always the same user's.
    public var identity: (@Sendable (_ name: String) async throws -> IdentityCredential)?
    /// Answers a token that a server of the project has signed for a user.
    public var customToken: (@Sendable (_ uid: String) async throws -> Secret)?
    /// The identifier of a tenant of the project, where users sign up with passwords.
    public var tenant: String?
    /// The backend's time, in seconds since 1970: authenticator apps show passwords of it. The system's unless set
    /// otherwise.
    public var now: @Sendable () -> Double = { SystemClocks().wall }

    /// Equipment with nothing in it yet.
    public init() {}
  }

  /// One sentence of the contract that needs equipment: its array says which.
  public struct EquippedCheck: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (any Backend, Equipment) async throws -> Void

    public var description: String { name }

    /// Runs the check over a backend. Throws `Violation` as well where the equipment that it needs is missing.
    public func run(_ backend: any Backend, with equipment: Equipment) async throws {
      try await body(backend, equipment)
    }
  }
}

// MARK: What checks do with it

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
