import GatehouseBase
import GatehouseHTTP

/// An issuer whose tokens a policy accepts: a single one, or one for each tenant of a provider.
public struct AcceptedIssuer: Sendable, Hashable {
  /// The issuer, or the text before the placeholder.
  let prefix: String
  /// The placeholder; `nil` for a single issuer.
  let tenant: Tenant?

  /// The meaning of the placeholder.
  struct Tenant: Sendable, Hashable {
    /// The text after the placeholder.
    let suffix: String
    /// The claim whose value replaces the placeholder.
    let claim: String
    /// The accepted values; `nil` for any.
    let values: [String]?
  }

  /// Exactly this issuer, compared as bytes.
  public static func exactly(_ issuer: String) -> AcceptedIssuer {
    AcceptedIssuer(prefix: issuer, tenant: nil)
  }

  /// The issuers of all tenants: `iss` must be the template with the value of another claim of the token in place of
  /// `{…}`.
  ///
  /// Microsoft Entra, for example, has `https://login.microsoftonline.com/{tenantid}/v2.0` and the claim `tid`. The
  /// claim must be 1 to 128 ASCII letters, digits, `-`, `.` and `_`. A key that names its issuer by a template
  /// (`JWK.issuer`) must give the token's `iss` with the same claim. Throws `invalidArgument` for a template that does
  /// not have exactly one placeholder with a name, and text before it.
  ///
  /// - Parameters:
  ///   - template: the issuer, with a placeholder in braces.
  ///   - claim: the claim that names the tenant.
  ///   - tenants: the accepted tenants. With `nil`, tokens of every tenant of the provider are accepted, so the program
  ///     must check the tenant itself.
  public static func template(
    _ template: String, claim: String, among tenants: [String]? = nil
  ) throws -> AcceptedIssuer {
    guard let (prefix, suffix) = parts(of: template) else {
      throw AuthError(
        .invalidArgument,
        "an issuer template needs one placeholder, such as https://issuer.example/{tenant}")
    }
    return AcceptedIssuer(
      prefix: String(prefix), tenant: Tenant(suffix: String(suffix), claim: claim, values: tenants))
  }

  /// The text before and after the one placeholder of a template; `nil` if it is not a template.
  static func parts(of template: String) -> (prefix: Substring, suffix: Substring)? {
    let text = template.utf8
    guard let begin = text.firstIndex(of: UInt8(ascii: "{")), let end = text.firstIndex(of: UInt8(ascii: "}")),
      begin > text.startIndex, text.index(after: begin) < end,
      text.count(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) == 2
    else { return nil }
    return (template[..<begin], template[text.index(after: end)...])
  }

  /// The issuer as text for people.
  var text: String {
    tenant.map { "\(prefix){\($0.claim)}\($0.suffix) with the token's `\($0.claim)` for {\($0.claim)}" } ?? prefix
  }
}

/// An issuer, or one for each tenant: the text around a placeholder in braces, as bytes.
struct IssuerPattern: Sendable {
  let prefix: [UInt8]
  /// The text after the placeholder; `nil` without one.
  let suffix: [UInt8]?

  /// Parses a template. A text without exactly one placeholder is a single issuer.
  init(_ text: String) {
    let parts = AcceptedIssuer.parts(of: text)
    prefix = Array((parts?.prefix ?? text[...]).utf8)
    suffix = parts.map { Array($0.suffix.utf8) }
  }

  init(_ issuer: AcceptedIssuer) {
    prefix = Array(issuer.prefix.utf8)
    suffix = issuer.tenant.map { Array($0.suffix.utf8) }
  }

  /// The issuer of a tenant.
  func issuer(of tenant: [UInt8]) -> [UInt8] { suffix.map { prefix + tenant + $0 } ?? prefix }

  /// Whether `iss` is this issuer, or that of any tenant.
  func names(_ issuer: ScannedValue?, of claims: ScannedObject) -> Bool {
    guard let suffix else { return claims.isText(issuer, prefix) }
    guard let text = issuer.flatMap({ claims.built($0).string }).map({ Array($0.utf8) }),
      text.count > prefix.count + suffix.count
    else { return false }
    let tenant = Array(text[prefix.count..<text.count - suffix.count])
    return Self.mayBeTenant(tenant) && text == self.issuer(of: tenant)
  }

  /// Whether text may be the name of a tenant. It has no character that divides the parts of a URL.
  static func mayBeTenant(_ text: [UInt8]) -> Bool {
    (1...128).contains(text.count) && text.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
  }
}

/// An accepted issuer, prepared for comparison.
struct IssuerCheck: Sendable {
  /// The result of a check.
  enum Verdict { case accepted, refused, ofAnotherKey }

  private let pattern: IssuerPattern
  private let claim: String?
  private let values: [[UInt8]]?

  init(_ issuer: AcceptedIssuer) {
    pattern = IssuerPattern(issuer)
    claim = issuer.tenant?.claim
    values = issuer.tenant?.values.map { $0.map { Array($0.utf8) } }
  }

  /// Whether `iss` is this issuer, and also the issuer that the token's key signs for.
  func verdict(
    on issuer: ScannedValue?, of claims: ScannedObject, signedFor keyIssuer: IssuerPattern?
  ) -> Verdict {
    guard let claim else {
      guard claims.isText(issuer, pattern.prefix) else { return .refused }
      return keyIssuer?.names(issuer, of: claims) ?? true ? .accepted : .ofAnotherKey
    }
    guard let tenant = tenant(claim, in: claims), values?.contains(tenant) ?? true,
      claims.isText(issuer, pattern.issuer(of: tenant))
    else { return .refused }
    return keyIssuer.map { claims.isText(issuer, $0.issuer(of: tenant)) } ?? true ? .accepted : .ofAnotherKey
  }

  /// The fault of the claim that names the tenant; `nil` if it has none, or if no claim names a tenant.
  func fault(ofTenantIn claims: ScannedObject) -> String? {
    guard let claim else { return nil }
    guard claims.scanned(claim) != nil else { return "`\(claim)` is missing" }
    guard let tenant = tenant(claim, in: claims) else {
      return "`\(claim)` is not 1 to 128 ASCII letters, digits, `-`, `.` and `_`"
    }
    return values?.contains(tenant) ?? true ? nil : "`\(claim)` is not one of the accepted tenants"
  }

  private func tenant(_ claim: String, in claims: ScannedObject) -> [UInt8]? {
    claims[claim]?.string.map { Array($0.utf8) }.flatMap { IssuerPattern.mayBeTenant($0) ? $0 : nil }
  }
}
