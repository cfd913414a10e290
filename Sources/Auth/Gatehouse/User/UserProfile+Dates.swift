public import Foundation
import GatehouseBase

extension UserProfile {
  /// When the account was made; `nil` where the provider does not say.
  public var creationDate: Date? {
    get { creationSeconds.map(Date.init(timeIntervalSince1970:)) }
    set { creationSeconds = newValue?.timeIntervalSince1970 }
  }

  /// When the user last signed in; `nil` where the provider does not say.
  public var lastSignInDate: Date? {
    get { lastSignInSeconds.map(Date.init(timeIntervalSince1970:)) }
    set { lastSignInSeconds = newValue?.timeIntervalSince1970 }
  }
}
