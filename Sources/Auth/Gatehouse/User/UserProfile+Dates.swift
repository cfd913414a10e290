public import Foundation
import GatehouseBase

extension UserProfile {
  /// When the account was made; `nil` where the provider does not say.
  public var creationDate: Date? { creationSeconds.map(Date.init(timeIntervalSince1970:)) }

  /// When the user last signed in; `nil` where the provider does not say.
  public var lastSignInDate: Date? { lastSignInSeconds.map(Date.init(timeIntervalSince1970:)) }
}
