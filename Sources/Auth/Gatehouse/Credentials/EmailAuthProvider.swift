import GatehouseCore

/// Makes credentials of an address with a password, or with the link of a message.
public enum EmailAuthProvider {
  /// `password`, as the protocol calls it.
  public static let id = "password"

  /// A credential of an address and a password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    AuthCredential(.password(email: email, Secret(password)))
  }

  /// A credential of an address and the link that `Auth.sendSignInLink(toEmail:actionCodeSettings:)` has sent to it.
  ///
  /// The link is read when the credential is used, which throws `.invalidArgument` if it does not sign in.
  public static func credential(withEmail email: String, link: String) -> AuthCredential {
    AuthCredential(email: email, link: link)
  }
}
