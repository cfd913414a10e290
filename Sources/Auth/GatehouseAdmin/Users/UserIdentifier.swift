import GatehouseBase
import IdentityToolkit

/// An identifier of a user.
public enum UserIdentifier: Sendable, Hashable {
  /// The user's identifier.
  case uid(String)
  /// The user's address.
  case email(String)
  /// The user's phone number in E.164 form.
  case phoneNumber(String)
  /// The user's identifier at an identity provider: `google.com`.
  case provider(id: String, uid: String)

  /// The kind, and the texts as bytes.
  private var exactly: [ExactText] {
    switch self {
    case .uid(let uid): ["uid", uid].map(ExactText.init)
    case .email(let email): ["email", email].map(ExactText.init)
    case .phoneNumber(let number): ["phoneNumber", number].map(ExactText.init)
    case .provider(let id, let uid): ["provider", id, uid].map(ExactText.init)
    }
  }

  /// Whether two identifiers are the same, byte for byte.
  public static func == (one: Self, other: Self) -> Bool { one.exactly == other.exactly }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(exactly) }

  /// Whether this identifies a user that the project returned.
  func names(_ user: UserRecord) -> Bool {
    switch self {
    case .uid(let uid): user.uid.isExactly(uid)
    // The project stores addresses in one spelling.
    case .email(let email): (user.email?.emailForm).isExactly(email.emailForm)
    case .phoneNumber(let number): user.phoneNumber?.isExactly(number) == true
    case .provider(let id, let uid):
      user.providerData.contains { $0.providerID.isExactly(id) && $0.uid.isExactly(uid) }
    }
  }
}

extension LookupAccounts {
  init(_ identifiers: [UserIdentifier]) {
    self.init()
    for identifier in identifiers {
      switch identifier {
      case .uid(let uid): localId = (localId ?? []) + [uid]
      case .email(let email): self.email = (self.email ?? []) + [email]
      case .phoneNumber(let number): phoneNumber = (phoneNumber ?? []) + [number]
      case .provider(let id, let uid):
        federatedUserId = (federatedUserId ?? []) + [FederatedUser(providerId: id, rawId: uid)]
      }
    }
  }
}
