import GatehouseBase
import IdentityToolkit

/// What names a user.
public enum UserIdentifier: Sendable, Hashable {
  /// The user's identifier.
  case uid(String)
  /// The user's address.
  case email(String)
  /// The user's phone number, as E.164 writes it.
  case phoneNumber(String)
  /// The user's identifier at an identity provider: `google.com`.
  case provider(id: String, uid: String)

  /// Whether it names a user whom the project has found.
  func names(_ user: UserRecord) -> Bool {
    switch self {
    case .uid(let uid): user.uid.isExactly(uid)
    // The project keeps one spelling for all.
    case .email(let email): user.email?.lowercased() == email.lowercased()
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
