public import GatehouseBase
import IdentityToolkit

extension AuthError.Code {
  /// The provider's folder cannot be used now: the disk is full, read-only or failing, or another program holds it.
  public static let providerUnavailable = Self(number: 19200)
  /// The provider's files are not what was written. Nothing was deleted.
  public static let providerDamaged = Self(number: 19201)
  /// The provider's accounts were written by a later version. Nothing was changed.
  public static let providerTooNew = Self(number: 19202)
  /// The provider's accounts were written before the first version. Nothing was changed.
  public static let providerTooOld = Self(number: 19206)
  /// The provider's folder or a file in it belongs to another user, is a link, or can be written to by others.
  public static let providerUnsafe = Self(number: 19203)
  /// The folder already has a provider, which must not be replaced.
  public static let providerExists = Self(number: 19204)
  /// The file is not a complete backup of a provider. Nothing was changed.
  public static let backupInvalid = Self(number: 19205)
}

extension AuthError {
  /// The refusal of a stranger's call that would hash a password, while as many wait as can. The same for every account
  /// and for none.
  static var tooManyHashes: AuthError {
    AuthError(
      server: .tooManyAttemptsTryLater, "too many passwords wait to be checked; try again in 5 s",
      retryAfter: .seconds(5)
    ).with { $0.isOverload = true }
  }

  /// A call names too many of something.
  static func tooMany(_ what: String, _ most: Int) -> AuthError {
    AuthError(.invalidArgument, "a call names at most \(most) \(what)", server: .invalidArgument)
  }
}
