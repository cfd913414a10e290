import GatehouseBase
import HangGuard
import Testing

/// Each of Firebase's error codes that can occur off Apple's platforms, produced by a call of `Auth` on the embedded
/// provider.
@Suite(.endsIfItHangs) struct EveryErrorTests {
  @Test(arguments: ErrorPath.all) func `each code has a path that produces it, with its parts`(
    path: ErrorPath
  ) async throws {
    var error: AuthError?
    do { try await path.run() } catch let thrown as AuthError { error = thrown }
    let found = try #require(error, "no error was thrown")
    #expect(found.code == path.code, "\(found)")
    #expect(ErrorPath.Parts(found) == path.parts, "\(found)")
    // The reader may run `gate`, and write no Swift.
    #expect(!found.message.contains("LocalOptions.") || found.message.contains("provider.json"), "\(found)")
  }

  @Test func `every code has one path, or a reason for none`() {
    let paths = ErrorPath.all.map(\.code)
    let firebase = Set(AuthError.Code.names.keys.filter { (17000...18999).contains($0) }.map(AuthError.Code.init))
    #expect(firebase.count == 74)
    #expect(Set(paths).count == paths.count)
    #expect(Set(paths).intersection(Self.reasons.keys) == [])
    #expect(firebase.symmetricDifference(Set(paths).union(Self.reasons.keys)).map(\.description).sorted() == [])
  }

  /// Why a code is produced by no call on the embedded provider.
  static let reasons: [AuthError.Code: String] = [
    .invalidAPIKey: "of Google's servers: the provider is in the process, and has no API keys",
    .appNotAuthorized: "of Google's servers: it restricts API keys",
    .quotaExceeded: "of Google's servers: it is the quota of a project of theirs",
    .blockingCloudFunctionError: "of Google's servers: the provider calls no hook",
    .adminRestrictedOperation: "of Google's servers: the provider has no switch for sign-ups",
    .invalidMessagePayload: "of Google's servers: the provider's templates are values of the program, and always whole",
    .missingIosBundleID: "of Google's servers: the provider's links open no app by themselves",
    .missingAndroidPackageName: "of Google's servers: the provider's links open no app by themselves",
    .missingClientIdentifier: "of Google's servers: they want a proof of the app before they send a text",
    .captchaCheckFailed: "of reCAPTCHA",
    .missingRecaptchaToken: "of reCAPTCHA, and Firebase itself never produces it",
    .invalidRecaptchaToken: "of reCAPTCHA",
    .invalidRecaptchaAction: "of reCAPTCHA, and Firebase itself never produces it",
    .missingClientType: "of reCAPTCHA",
    .missingRecaptchaVersion: "of reCAPTCHA, and Firebase itself never produces it",
    .invalidRecaptchaVersion: "of reCAPTCHA, and Firebase itself never produces it",
    .invalidClientID: "of Apple's platforms: a web view for signing in",
    .rejectedCredential: "Firebase itself never produces it",
    .invalidReqType: "Firebase itself never produces it: every call names the kind of its message",
    .malformedJWT: "the provider's tokens can be read; another backend's are internalError",
    .unsupportedTenantOperation: "of Google's servers: the provider's tenants support every operation",
  ]
}
