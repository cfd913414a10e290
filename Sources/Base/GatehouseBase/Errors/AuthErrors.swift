/// Firebase's names for what an `AuthError` contains as an `NSError`.
public enum AuthErrors {
  /// The domain: `FIRAuthErrorDomain`.
  public static let domain = "FIRAuthErrorDomain"
  /// The key of the code's name, a `String` such as `ERROR_USER_NOT_FOUND`.
  public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
  /// The key of the address that the error is about, a `String`.
  public static let userInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"
  /// The key of the credential to continue with, an `AuthCredential`, if a sign-in or link failed because of another
  /// account.
  public static let userInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"
  /// The key of the resolver of a sign-in that waits for a second factor, a `MultiFactorResolver`.
  public static let userInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"
}

/// The additions of a module above this one to the `userInfo` of an error.
package protocol ErrorDetails: Sendable {
  /// The additions; made when they are read.
  func userInfo(of error: AuthError) -> [String: any Sendable]
}

extension AuthError.Code {
  /// Firebase's name for the code; for a code that Firebase lacks, a name of the same form.
  ///
  /// Source: firebase-ios-sdk, AuthErrors.swift, `errorCodeString`.
  var firebaseName: String {
    switch self {
    case .networkError: "ERROR_NETWORK_REQUEST_FAILED"
    case .missingAndroidPackageName: "ERROR_MISSING_ANDROID_PKG_NAME"
    case .blockingCloudFunctionError: "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR"
    case .keychainError: "ERROR_KEYCHAIN_ERROR"
    default: "ERROR_" + Self.words(of: description).map { $0.uppercased() }.joined(separator: "_")
    }
  }

  /// The words of a name: `invalidAPIKey` has three.
  private static func words(of name: String) -> [Substring] {
    var words: [Substring] = []
    var start = name.startIndex
    for index in name.indices.dropFirst() where name[index].isUppercase {
      let next = name.index(after: index)
      let isAfterLowercase = name[name.index(before: index)].isLowercase
      let isBeforeLowercase = next < name.endIndex && name[next].isLowercase
      guard isAfterLowercase || isBeforeLowercase else { continue }
      words.append(name[start..<index])
      start = index
    }
    return words + [name[start...]]
  }
}
