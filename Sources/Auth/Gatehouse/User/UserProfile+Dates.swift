public import Foundation
import GatehouseBase

extension UserProfile {
  /// The date of the account's creation; `nil` if the provider does not report it.
  public var creationDate: Date? {
    get { creationSeconds.map(Date.init(timeIntervalSince1970:)) }
    set { creationSeconds = newValue?.timeIntervalSince1970 }
  }

  /// The date of the last sign-in; `nil` if the provider does not report it.
  public var lastSignInDate: Date? {
    get { lastSignInSeconds.map(Date.init(timeIntervalSince1970:)) }
    set { lastSignInSeconds = newValue?.timeIntervalSince1970 }
  }
}
