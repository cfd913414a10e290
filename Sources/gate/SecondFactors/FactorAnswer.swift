import Gatehouse
import GatehouseBase

extension MultiFactorInfo {
  /// The factor's name, or else its phone number or kind, followed by its identifier, for people to read.
  var name: String { "\((displayName ?? phoneNumber ?? kind).shown) (\(uid.shown))" }

  /// The factor's name and what is known about it, for people to read.
  func line(at now: Double) -> String {
    [name, displayName == nil ? nil : kind, enrolled.map { "enrolled \($0.text(seenAt: now))" }]
      .compactMap { $0 }.joined(separator: ", ")
  }

  /// For programs; unknown values are omitted. The time is in seconds since 1970.
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
  /// Returns the factor with this identifier, or the only factor with this name.
  func named(_ name: String) throws(AuthError) -> MultiFactorInfo {
    if let factor = only(named: name) { return factor }
    let count = count { $0.displayName?.isExactly(name) ?? false }
    throw AuthError(
      .multiFactorInfoNotFound,
      count == 0
        ? "no second factor is called \(name.shown); gate second-factors list shows them"
        : "\(count) second factors are called \(name.shown); give an identifier of gate second-factors list")
  }

  /// Does the same as `named`, but returns `nil` if no factor matches, or if several do.
  func only(named name: String) -> MultiFactorInfo? {
    if let factor = first(where: { $0.uid.isExactly(name) }) { return factor }
    let found = filter { $0.displayName?.isExactly(name) ?? false }
    return found.count == 1 ? found.first : nil
  }
}

extension [String] {
  /// The recovery codes, for people to read.
  var recoveryText: String {
    """
    Recovery codes, each for one sign-in:

    \(map { "  \($0)" }.joined(separator: "\n"))

    They are shown once. Keep them safe.
    """
  }
}
