public import Foundation
public import Gatehouse
public import GatehouseBase

extension AuthTokenResult {
  /// All claims of the token, as Firebase has them: `claims["admin"] as? Bool`, `as? NSNumber`, `as? String`, …
  ///
  /// Numbers and Booleans are `NSNumber`, `null` is `NSNull`, arrays are `[Any]`, objects are `[String: Any]`. Made on
  /// each access. `jsonClaims` has them as Gatehouse's own values.
  public var claims: [String: Any] { jsonClaims.asDictionary }
  /// All claims of the token, in their order.
  public var jsonClaims: JSONObject { self.Gatehouse::claims }
}

// Not optional, as in Firebase. Tokens of Google's servers and of Gatehouse have all of these but the second factor. In
// any other token, a time that is missing is long past: such a token has expired, and its sign-in is not recent.
extension AuthTokenResult {
  /// The expiration date of the token (`exp`).
  public var expirationDate: Date { self.Gatehouse::expirationDate ?? .distantPast }
  /// The date of the sign-in (`auth_time`); a refresh does not change it.
  public var authDate: Date { self.Gatehouse::authDate ?? .distantPast }
  /// The date on which the token was issued (`iat`).
  public var issuedAtDate: Date { self.Gatehouse::issuedAtDate ?? .distantPast }
  /// The sign-in method: `password`, `anonymous`, …; empty if the token has none.
  public var signInProvider: String { self.Gatehouse::signInProvider ?? "" }
  /// The second factor of the sign-in: `phone`, `totp`; empty if there was none.
  public var signInSecondFactor: String { self.Gatehouse::signInSecondFactor ?? "" }
}

extension AdditionalUserInfo {
  /// Everything that the identity provider reported about the user, with the types of `AuthTokenResult.claims`.
  ///
  /// It is `nil` if the provider reported nothing, or nothing readable. Parsed on each access.
  public var profile: [String: Any]? { jsonProfile?.asDictionary }
  /// Everything that the identity provider reported about the user, in its order.
  public var jsonProfile: JSONObject? { self.Gatehouse::profile }
}

extension JSONObject {
  fileprivate var asDictionary: [String: Any] {
    var members: [String: Any] = [:]
    for name in names { members[name] = self[name]?.asFoundation }
    return members
  }
}

extension JSONValue {
  /// The value with the types that casts of Foundation expect.
  fileprivate var asFoundation: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): NSNumber(value: value)
    case .number(let number): number.integer.map { NSNumber(value: $0) } ?? NSNumber(value: number.double)
    case .string(let text): text
    case .array(let elements): elements.map(\.asFoundation)
    case .object(let object): object.asDictionary
    }
  }
}
