import GatehouseBase
import IdentityToolkit

// The names and their order are those of `firebase auth:export`, and `firebase auth:import` refuses other names.
extension ImportedAccount {
  /// The account as an element of a JSON file.
  var exported: JSONObject {
    var object: JSONObject = [:]
    object["localId"] = localId.map(JSONValue.string)
    object["email"] = email.map(JSONValue.string)
    object["emailVerified"] = .bool(emailVerified ?? false)
    object["passwordHash"] = passwordHash.map { .string($0.revealed) }
    object["salt"] = salt.flatMap { $0.revealed.isEmpty ? nil : .string($0.revealed) }
    object["displayName"] = displayName.map(JSONValue.string)
    object["photoUrl"] = photoUrl.map(JSONValue.string)
    object["lastSignedInAt"] = lastLoginAt.map { .string("\($0.value)") }
    object["createdAt"] = createdAt.map { .string("\($0.value)") }
    object["phoneNumber"] = phoneNumber.map(JSONValue.string)
    object["disabled"] = .bool(disabled ?? false)
    object["customAttributes"] = customAttributes.map(JSONValue.string)
    if let mfaInfo, !mfaInfo.isEmpty { object["mfaInfo"] = .array(mfaInfo.map { .object($0.exported) }) }
    object["providerUserInfo"] = .array((providerUserInfo ?? []).map { .object($0.exported) })
    return object
  }

  /// Returns the account as a row of a CSV file, with its line end.
  ///
  /// - Throws: `.invalidArgument` for a value that its column cannot hold.
  func exportedRow() throws(AuthError) -> String {
    var fields = [String](repeating: "", count: Self.columnCount)
    fields[0] = localId ?? ""
    fields[1] = email ?? ""
    fields[2] = "\(emailVerified ?? false)"
    fields[3] = passwordHash?.revealed ?? ""
    fields[4] = salt?.revealed ?? ""
    fields[5] = displayName ?? ""
    fields[6] = photoUrl ?? ""
    for identity in providerUserInfo ?? [] {
      guard let first = Self.columns.first(where: { $0.provider.isExactly(identity.providerId) })?.first else {
        continue
      }
      fields[first] = identity.rawId ?? ""
      fields[first + 1] = identity.email ?? ""
      fields[first + 2] = identity.displayName ?? ""
      fields[first + 3] = identity.photoUrl ?? ""
    }
    fields[23] = createdAt.map { "\($0.value)" } ?? ""
    fields[24] = lastLoginAt.map { "\($0.value)" } ?? ""
    fields[25] = phoneNumber ?? ""
    fields[26] = "\(disabled ?? false)"
    fields[27] = customAttributes ?? ""
    let cells = try fields.enumerated().map { index, value throws(AuthError) in
      try UserFileColumn(at: index, besides: fields[3]).cell(value).quotedForCSV
    }
    return cells.joined(separator: ",") + "\n"
  }
}

extension Account.ProviderUserInfo {
  fileprivate var exported: JSONObject {
    var object: JSONObject = ["providerId": .string(providerId)]
    object["rawId"] = rawId.map(JSONValue.string)
    object["email"] = email.map(JSONValue.string)
    object["displayName"] = displayName.map(JSONValue.string)
    object["photoUrl"] = photoUrl.map(JSONValue.string)
    return object
  }
}

extension CreateAccount.PhoneFactor {
  fileprivate var exported: JSONObject {
    var object: JSONObject = [:]
    object["mfaEnrollmentId"] = mfaEnrollmentId.map(JSONValue.string)
    object["displayName"] = displayName.map(JSONValue.string)
    object["phoneInfo"] = phoneInfo.map(JSONValue.string)
    object["enrolledAt"] = enrolledAt.map(JSONValue.string)
    return object
  }
}

extension String {
  /// The text in quotes, if a reader of CSV would not take it as it is.
  fileprivate var quotedForCSV: String {
    let needsQuotes = utf8.contains { ",\"\r\n".utf8.contains($0) } || utf8.first == 0x20 || utf8.last == 0x20
    return needsQuotes ? "\"\(replacing("\"", with: "\"\""))\"" : self
  }
}
