import Foundation
import GatehouseBase
import Testing

struct AuthErrorCodeTests {
  /// The codes as the sources of all modules declare them: nothing in the language lists them.
  private static let declared: [(name: String, number: Int)] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized
    let sources = root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return (files ?? []).filter { $0.pathExtension == "swift" }.flatMap { file in
      let source = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return source.matches(of: /static let (\w+) = Self\(number: (1[789]\d{3})\)/).compactMap { match in
        Int(match.2).map { (String(match.1), $0) }
      }
    }
  }()

  /// Declared twice on purpose: Firebase's name, and ours.
  private static let alias = "keychainError"

  @Test func `every code has a number and a name of its own`() {
    #expect(Self.declared.count > 80)
    #expect(Set(Self.declared.map(\.number)).count == Self.declared.count)
    #expect(Set(Self.declared.map(\.name)).count == Self.declared.count)
    #expect(Set(AuthError.Code.names.values).count == AuthError.Code.names.count)
  }

  @Test func `every code that is declared prints its name`() {
    for (name, number) in Self.declared where name != Self.alias {
      #expect(AuthError.Code(rawValue: number)?.description == name)
    }
    #expect(AuthError.Code.keychainError.description == "storeFailed")
    #expect(AuthError.Code.storeFailed == .keychainError)
  }

  @Test func `every name is of a declared code`() {
    #expect(Set(AuthError.Code.names.keys) == Set(Self.declared.map(\.number)))
  }

  @Test(arguments: [17_001, 18_999, 99_999, Int.max])
  func `a number without a name prints itself`(_ number: Int) {
    #expect(AuthError.Code(rawValue: number)?.description == "\(number)")
  }

  @Test func `Firebase's numbers mean what they mean there`() {
    #expect(AuthError.Code.emailAlreadyInUse.rawValue == 17007)
    #expect(AuthError.Code.wrongPassword.rawValue == 17009)
    #expect(AuthError.Code.userNotFound.rawValue == 17011)
    #expect(AuthError.Code.userTokenExpired.rawValue == 17021)
    #expect(AuthError.Code.keychainError.rawValue == 17995)
    #expect(AuthError.Code.internalError.rawValue == 17999)
  }

  /// Source: firebase-ios-sdk, AuthErrors.swift, `errorCodeString`; those that the rule of the others does not give,
  /// and some that it does.
  @Test(arguments: [
    (AuthError.Code.networkError, "ERROR_NETWORK_REQUEST_FAILED"),
    (.missingAndroidPackageName, "ERROR_MISSING_ANDROID_PKG_NAME"),
    (.blockingCloudFunctionError, "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR"),
    (.keychainError, "ERROR_KEYCHAIN_ERROR"), (.userNotFound, "ERROR_USER_NOT_FOUND"),
    (.invalidAPIKey, "ERROR_INVALID_API_KEY"), (.missingIosBundleID, "ERROR_MISSING_IOS_BUNDLE_ID"),
    (.invalidContinueURI, "ERROR_INVALID_CONTINUE_URI"), (.tenantIDMismatch, "ERROR_TENANT_ID_MISMATCH"),
    (.malformedJWT, "ERROR_MALFORMED_JWT"), (.noSuchProvider, "ERROR_NO_SUCH_PROVIDER"),
    (.wouldDeadlock, "ERROR_WOULD_DEADLOCK"), (.init(number: 20_000), "ERROR_20000"),
  ])
  func `a code has Firebase's name in the userInfo`(code: AuthError.Code, name: String) {
    let info = AuthError(code, "").userInfo
    #expect(info[AuthErrors.userInfoNameKey] as? String == name)
  }

  @Test(arguments: [0, -1, 1, 260, 16_999])
  func `a number of another domain is no code`(number: Int) {
    #expect(AuthError.Code(rawValue: number) == nil)
  }
}
