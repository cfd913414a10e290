public import Foundation
public import GatehouseBase

/// For programs written for Firebase, which use `(error as NSError).code`.
extension AuthError: CustomNSError {
  /// `FIRAuthErrorDomain`.
  public static var errorDomain: String { "FIRAuthErrorDomain" }
  /// The number of the code; Firebase's own number if Firebase has the code.
  public var errorCode: Int { code.rawValue }
}
