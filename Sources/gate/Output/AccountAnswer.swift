import GatehouseBase
import GatehouseLocal

extension AccountRecord {
  /// `ada@example.com (UID)`, for people to read, and whether the account is disabled.
  var line: String { "\(name)\(isDisabled ? ", disabled" : "")" }

  /// The same as `line`, for a text that already says whether the account is disabled.
  var name: String {
    let name = email ?? (signInMethods == ["anonymous"] ? "anonymous" : displayName ?? "no address")
    let tenant = tenantID.map { ", of the tenant \($0.shown)" } ?? ""
    return "\(name.shown) (\(uid.shown))\(tenant)"
  }

  /// Everything that is known about the account, one fact a line, for people to read.
  func description(at now: Double) -> String {
    var rows = [("identifier", uid.shown)]
    if let tenantID { rows.append(("tenant", tenantID.shown)) }
    if let email { rows.append(("address", "\(email.shown), \(isEmailVerified ? "verified" : "not verified")")) }
    if let displayName { rows.append(("name", displayName.shown)) }
    if let photoURL { rows.append(("picture", photoURL.shown)) }
    if let phoneNumber { rows.append(("phone", phoneNumber.shown)) }
    rows.append(("signs in by", signInMethods.isEmpty ? "nothing" : signInMethods.joined(separator: ", ")))
    for factor in secondFactors {
      let name = factor.displayName.map { ", \($0.shown)" } ?? ""
      rows.append(("second factor", "\(factor.factorID) \(factor.uid)\(name)"))
    }
    if !claims.isEmpty { rows.append(("claims", "\(claims)".shown)) }
    rows.append(("state", isDisabled ? "disabled" : "enabled"))
    let moments = [
      ("made", createdAt / 1000), ("last sign-in", lastLoginAt.map { $0 / 1000 }), ("valid since", validSince),
    ]
    rows += moments.map { name, seconds in
      (name, seconds.flatMap { Moment(.number(JSONNumber($0))) }?.text(seenAt: now) ?? "never")
    }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value
    }.table
  }

  /// For programs; unknown values are omitted. Times are in seconds since 1970.
  var json: JSONObject {
    var json: JSONObject = ["uid": .string(uid)]
    json["tenantID"] = tenantID.map(JSONValue.string)
    json["email"] = email.map(JSONValue.string)
    json["emailVerified"] = .bool(isEmailVerified)
    json["displayName"] = displayName.map(JSONValue.string)
    json["photoURL"] = photoURL.map(JSONValue.string)
    json["phoneNumber"] = phoneNumber.map(JSONValue.string)
    json["disabled"] = .bool(isDisabled)
    json["signInMethods"] = .array(signInMethods.map(JSONValue.string))
    json["secondFactors"] = .array(
      secondFactors.map { factor in
        var json: JSONObject = ["id": .string(factor.uid), "kind": .string(factor.factorID)]
        json["displayName"] = factor.displayName.map(JSONValue.string)
        return .object(json)
      })
    json["claims"] = .object(claims)
    json["created"] = .number(JSONNumber(createdAt / 1000))
    json["lastSignIn"] = lastLoginAt.map { .number(JSONNumber($0 / 1000)) }
    json["validSince"] = .number(JSONNumber(validSince))
    return json
  }
}
