import GatehouseCore

/// Makes credentials from an address and a password, or from an address and a message's link.
public enum EmailAuthProvider {
  /// `password`, as the protocol calls it.
  public static let id = "password"

  /// Returns a credential for an address and a password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    AuthCredential(.password(email: email, Secret(password)))
  }

  /// Returns a credential for an address and the link that `Auth.sendSignInLink(toEmail:actionCodeSettings:)` sent to
  /// it.
  ///
  /// The link is read when the credential is used; that call throws `.invalidArgument` for a link that does not sign
  /// in.
  public static func credential(withEmail email: String, link: String) -> AuthCredential {
    AuthCredential(email: email, link: link)
  }
}
