public import Foundation
public import GatehouseBase

/// Programs that were written for Firebase ask `(error as NSError).code`.
extension AuthError: CustomNSError {
  /// `FIRAuthErrorDomain`.
  public static var errorDomain: String { "FIRAuthErrorDomain" }
  /// The number of the code: Firebase's own where that has one.
  public var errorCode: Int { code.rawValue }
}
