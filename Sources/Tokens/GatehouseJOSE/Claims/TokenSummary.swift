import FoundationEssentials
import GatehouseBase

/// The part of a token that a person may read: its issuer, its subject, its validity, and the key that signed it. Never
/// its text, its signature or its other claims.
package struct TokenSummary: CustomStringConvertible {
  private let type: String
  private let members: [(name: String, value: String)]

  package init(_ type: String, _ claims: some TokenClaims, algorithm: String, keyID: String?) {
    var members: [(String, String?)] = [
      ("iss", claims.issuer.map(Self.quoted)), ("sub", claims.subject.map(Self.quoted)),
      ("aud", claims.audience.isEmpty ? nil : claims.audience.map(Self.quoted).joined(separator: " ")),
    ]
    members += [
      ("iat", claims.issuedAt), ("nbf", claims.notBefore), ("auth_time", claims.authenticationTime),
      ("exp", claims.expiry),
    ].map { ($0, $1.map(Date.ISO8601FormatStyle().format)) }
    self.init(type, members, algorithm: algorithm, keyID: keyID)
  }

  /// Makes a summary of only a header.
  init(_ type: String, _ members: [(String, String?)] = [], algorithm: String, keyID: String?, mediaType: String? = nil)
  {
    self.type = type
    self.members =
      (members + [
        ("alg", Self.quoted(algorithm)), ("kid", keyID.map(Self.quoted)), ("typ", mediaType.map(Self.quoted)),
      ]).compactMap { name, value in value.map { (name, $0) } }
  }

  package var description: String {
    "\(type)(" + members.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + ")"
  }

  /// The same members, for debuggers.
  package func mirror<Subject>(of subject: Subject) -> Mirror {
    Mirror(subject, children: members.map { (label: $0.name, value: $0.value) })
  }

  /// A text of at most 128 characters, as an ASCII literal: a token may contain terminal commands.
  private static func quoted(_ text: String) -> String { "\"\(text.printable())\"" }
}
