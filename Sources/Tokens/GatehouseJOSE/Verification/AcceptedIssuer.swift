public import GatehouseBase

/// An issuer whose tokens a policy accepts: one, or one for each tenant of a provider.
public struct AcceptedIssuer: Sendable, Hashable {
  /// The issuer, or the text before the placeholder.
  let prefix: String
  /// The placeholder; `nil` for one issuer.
  let tenant: Tenant?

  /// What the placeholder stands for.
  struct Tenant: Sendable, Hashable {
    /// The text after the placeholder.
    let suffix: String
    /// The claim whose value takes its place.
    let claim: String
    /// The values that are accepted; `nil` for any.
    let values: [String]?
  }

  /// Exactly this issuer, compared as bytes.
  public static func exactly(_ issuer: String) -> AcceptedIssuer {
    AcceptedIssuer(prefix: issuer, tenant: nil)
  }

  /// The issuer of each tenant: `iss` is the template with a claim of the same token in place of its `{…}`.
  ///
  /// Microsoft Entra, for example, has `https://login.microsoftonline.com/{tenantid}/v2.0` and the claim `tid`. The
  /// claim must be 1 to 128 ASCII letters, digits, `-`, `.` and `_`. Throws `invalidArgument` for a template that does
  /// not have exactly one placeholder with a name, and text before it.
  ///
  /// - Parameters:
  ///   - template: the issuer, with a placeholder in braces.
  ///   - claim: the claim that names the tenant.
  ///   - tenants: the tenants that are accepted. With `nil` a token of every tenant of the provider is, so that the
  ///     program must check the tenant itself.
  public static func template(
    _ template: String, claim: String, among tenants: [String]? = nil
  ) throws(AuthError) -> AcceptedIssuer {
    let text = template.utf8
    guard let begin = text.firstIndex(of: UInt8(ascii: "{")),
      let end = text.firstIndex(of: UInt8(ascii: "}")),
      begin > text.startIndex, text.index(after: begin) < end,
      text.count(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) == 2
    else {
      throw AuthError(
        .invalidArgument,
        "an issuer template needs one placeholder, such as https://issuer.example/{tenant}")
    }
    let suffix = String(template[text.index(after: end)...])
    return AcceptedIssuer(
      prefix: String(template[..<begin]),
      tenant: Tenant(suffix: suffix, claim: claim, values: tenants))
  }

  /// The issuer for people.
  var text: String { tenant.map { "\(prefix){\($0.claim)}\($0.suffix)" } ?? prefix }
}

/// An accepted issuer, ready to be compared.
struct IssuerCheck: Sendable {
  private let prefix: [UInt8]
  private let suffix: [UInt8]
  private let claim: String?
  private let values: [[UInt8]]?

  init(_ issuer: AcceptedIssuer) {
    prefix = Array(issuer.prefix.utf8)
    suffix = Array((issuer.tenant?.suffix ?? "").utf8)
    claim = issuer.tenant?.claim
    values = issuer.tenant?.values.map { $0.map { Array($0.utf8) } }
  }

  /// Whether `iss` is this issuer.
  func accepts(_ issuer: ScannedValue?, of claims: ScannedObject) -> Bool {
    guard let claim else { return claims.isText(issuer, prefix) }
    guard let value = claims.scanned(claim),
      let tenant = claims.built(value).string.map({ Array($0.utf8) }),
      (1...128).contains(tenant.count), tenant.allSatisfy(\.isOfTenant),
      values?.contains(tenant) ?? true
    else { return false }
    return claims.isText(issuer, prefix + tenant + suffix)
  }
}

extension UInt8 {
  fileprivate var isOfTenant: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
