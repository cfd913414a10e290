import Gatehouse
import GatehouseBase

extension MultiFactorInfo {
  /// Its name, or what it is, and its identifier, for people.
  var name: String { "\((displayName ?? phoneNumber ?? kind).shown) (\(uid.shown))" }

  /// Its name with what is known of it, for people.
  func line(at now: Double) -> String {
    [name, displayName == nil ? nil : kind, enrolled.map { "enrolled \($0.text(seenAt: now))" }]
      .compactMap { $0 }.joined(separator: ", ")
  }

  /// For programs; what is not known is left out. The moment is in seconds since 1970.
  var json: JSONObject {
    var json: JSONObject = ["id": .string(uid), "kind": .string(factorID)]
    json["displayName"] = displayName.map(JSONValue.string)
    json["phoneNumber"] = phoneNumber.map(JSONValue.string)
    json["enrolled"] = enrolled?.json
    return json
  }

  private var enrolled: Moment? { enrollmentDate.flatMap { Moment($0) } }

  private var kind: String {
    factorID == TOTPMultiFactorGenerator.factorID ? "authenticator app" : factorID.shown
  }
}

extension [MultiFactorInfo] {
  /// The factor with an identifier, or the only one with a name.
  func named(_ name: String) throws(AuthError) -> MultiFactorInfo {
    if let factor = only(named: name) { return factor }
    let count = count { $0.displayName?.isExactly(name) ?? false }
    throw AuthError(
      .multiFactorInfoNotFound,
      count == 0
        ? "no second factor is called \(name.shown); gate second-factors list shows them"
        : "\(count) second factors are called \(name.shown); give an identifier of gate second-factors list")
  }

  /// As `named`; `nil` where none is meant, or several are.
  func only(named name: String) -> MultiFactorInfo? {
    if let factor = first(where: { $0.uid.isExactly(name) }) { return factor }
    let found = filter { $0.displayName?.isExactly(name) ?? false }
    return found.count == 1 ? found.first : nil
  }
}

extension [String] {
  /// Recovery codes, for people.
  var recoveryText: String {
    """
    Recovery codes, each for one sign-in:

    \(map { "  \($0)" }.joined(separator: "\n"))

    They are shown once. Keep them safe.
    """
  }
}
